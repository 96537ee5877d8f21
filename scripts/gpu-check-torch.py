"""What PyTorch reaches on the same device, for scripts/gpu-check: CSV on stdout, in the words of roofline's points.

    gpu-check-torch.py [cuda:N]

Each figure is the best median of CUDA events over batches of calls, operands rotated through more memory than L2 has.
Exit status 3: there is no PyTorch that sees the device.
"""
import sys
import time

BUDGET_S = 35.0
BATCHES = 15
PRODUCT = 8192
SETTLING_S = 3.0
SHAPES = [(7168, 57344), (8192, 28672), (7168, 18432), (16384, 7168), (1024, 1024), (4096, 14336)]


def seconds_per_call(torch, calls, rounds):
    """Median over batches; a batch takes each of `calls` in turn, `rounds` times."""
    for call in calls:
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(BATCHES):
        begin = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(2_000_000)  # keeps the device busy until the whole batch is enqueued
        begin.record()
        for _ in range(rounds):
            for call in calls:
                call()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e-3 / (rounds * len(calls)))
    return sorted(times)[len(times) // 2]


def stream_figures(torch, device):
    elements = min(2**28, torch.cuda.get_device_properties(device).total_memory // 64)
    a = torch.empty(elements, device=device)
    b = torch.rand(elements, device=device)
    c = torch.rand(elements, device=device)
    size = 4 * elements
    calls = [
        ("read", 1, lambda: torch.sum(b), "torch.sum"),
        ("write", 1, lambda: a.fill_(1.25), "Tensor.fill_"),
        ("copy", 2, lambda: a.copy_(b), "Tensor.copy_"),
        ("scale", 2, lambda: torch.mul(b, 1.25, out=a), "torch.mul"),
        ("add", 3, lambda: torch.add(b, c, out=a), "torch.add"),
        ("triad", 3, lambda: torch.add(b, c, alpha=1.25, out=a), "torch.add with alpha"),
    ]
    for mix, arrays, call, how in calls:
        taken = seconds_per_call(torch, [call], 5)
        yield f"stream/*/{mix}", arrays * size / taken, f"{how} fp32; {elements} elements"


def matvec_figures(torch, device):
    l2 = getattr(torch.cuda.get_device_properties(device), "L2_cache_size", 64 * 2**20)
    for dtype in ("fp16", "bf16"):
        kind = torch.float16 if dtype == "fp16" else torch.bfloat16
        for d_in, d_out in SHAPES:
            size = 2 * d_in * d_out
            sets = max(1, -(-5 * l2 // size))
            x = torch.randn(1, d_in, device=device, dtype=kind)
            weights = [torch.randn(d_out, d_in, device=device, dtype=kind) for _ in range(sets)]
            calls = [lambda w=w: torch.nn.functional.linear(x, w) for w in weights]
            taken = seconds_per_call(torch, calls, max(1, 20 // sets))
            traffic = size + 2 * (d_in + d_out)
            yield f"matvec/{dtype}/T=1_{d_in}x{d_out}", traffic / taken, f"functional.linear; {sets} weights in turn"


def product_figures(torch, device):
    """Of each type before its clock falls, after a rest, and once it has settled under the load."""
    n = PRODUCT
    torch.backends.cuda.matmul.allow_tf32 = True
    of_types = [("bf16", torch.bfloat16), ("tf32", torch.float32), ("fp16", torch.float16)]
    if hasattr(torch, "float8_e4m3fn") and torch.cuda.get_device_capability(device) >= (8, 9):
        of_types.insert(1, ("fp8_e4m3", torch.float8_e4m3fn))
    for dtype, kind in of_types:
        a = torch.randn(n, n, device=device)
        b = torch.randn(n, n, device=device)
        if dtype == "fp8_e4m3":
            a, b = a.to(kind), b.to(kind).t()
            one = torch.ones((), device=device)
            call, how = (lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16)), "_scaled_mm"
        else:
            a, b = a.to(kind), b.to(kind)
            call, how = (lambda: torch.matmul(a, b)), "matmul"
        call()
        torch.cuda.synchronize()
        time.sleep(1.0)
        for duration in ("burst", "sustained"):
            if duration == "sustained":
                begin = time.monotonic()
                while time.monotonic() - begin < SETTLING_S:
                    for _ in range(20):
                        call()
                    torch.cuda.synchronize()
            taken = seconds_per_call(torch, [call], 10 if duration == "sustained" else 3)
            yield f"gemm/{dtype}/{n}x{n}x{n}_{duration}", 2 * n**3 / taken, f"{how}; normal data"


UNITS = {"stream": "byte_per_s", "matvec": "byte_per_s", "gemm": "flop_per_s"}


def main():
    begin = time.monotonic()
    device = sys.argv[1] if len(sys.argv) > 1 else "cuda:0"
    try:
        import torch
    except ImportError:
        print("python3 has no PyTorch", file=sys.stderr)
        return 3
    if not torch.cuda.is_available():
        print("PyTorch here sees no GPU", file=sys.stderr)
        return 3
    torch.cuda.set_device(torch.device(device))
    print("point,value,unit,how")
    for figures in (stream_figures, matvec_figures, product_figures):
        for point, value, how in figures(torch, device):
            unit = UNITS[point.split("/")[0]]
            print(f"{point},{value:.6g},{unit},PyTorch {torch.__version__} {how}", flush=True)
            if time.monotonic() - begin > BUDGET_S:
                print("out of time: the figures so far are given", file=sys.stderr)
                return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
