// The floor that start-up is held against: a program that does nothing.
int main() { return 0; }
