// A precompiled header needs a target of its own; this is all there is to it
// (tests/CMakeLists.txt).
int main() {}
