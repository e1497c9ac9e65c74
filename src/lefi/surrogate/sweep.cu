// The sweep on a GPU: one thread per client, the state of its process in registers. See sweep.py for the arrays and
// formulas.py for the mathematics; here X, Y are (slots, stride), so that neighbouring threads read neighbouring words.
// Compiled with -DREAL (storage), -DKERNEL (0 iwp, 1 matern32, 2 matern52), -DNQ (queries), -DFRESH, -DWEIGH.

#define BIG 1e38
#define FINITE 1e37
#define NONE 1e30
#define SOME 1e29
#define DEAF 1e300
#define NS (NQ > 0 ? NQ : 1)

struct State { double m0, m1, m2, P00, P01, P02, P11, P12, P22; };

__device__ inline double gamma3(double v, double E) {
    if (v >= 0.5) return 1.0 - E * (1.0 + v * (1.0 + 0.5 * v));
    double term = 1.0, sum = 1.0;
#pragma unroll
    for (int k = 1; k < 12; k++) { term *= v * (1.0 / (3 + k)); sum += term; }
    return E * v * v * v * sum / 6.0;
}

__device__ inline double gamma5(double v, double E) {
    if (v >= 0.5) return 1.0 - E * (1.0 + v * (1.0 + v * (0.5 + v * (1.0 / 6.0 + v / 24.0))));
    double term = 1.0, sum = 1.0;
#pragma unroll
    for (int k = 1; k < 12; k++) { term *= v * (1.0 / (5 + k)); sum += term; }
    return E * v * v * v * v * v * sum / 120.0;
}

// A c over the gap u, e = exp(-u).
__device__ inline void push(double u, double e, double &c0, double &c1, double &c2) {
#if KERNEL == 0
    c0 += u * c1;
#elif KERNEL == 1
    double b = e * u, d0 = (e + b) * c0 + b * c1;
    c1 = (e - b) * c1 - b * c0;
    c0 = d0;
#else
    double w = u * u, half = 0.5 * w;
    double d0 = e * ((1.0 + u + half) * c0 + (u + w) * c1 + half * c2);
    double d1 = e * ((1.0 + u - w) * c1 - half * c0 + (u - half) * c2);
    c2 = e * ((half - u) * c0 + (w - 3.0 * u) * c1 + (1.0 - 2.0 * u + half) * c2);
    c0 = d0;
    c1 = d1;
#endif
}

// A P A' + Q and A m.
__device__ inline void predict(State &s, double u, double e, double rho) {
    push(u, e, s.m0, s.m1, s.m2);
#if KERNEL == 0
    double q = rho * u, t = s.P01 + u * s.P11;
    s.P00 += u * (s.P01 + t) + q * u * u / 3.0;
    s.P01 = t + 0.5 * q * u;
    s.P11 += q;
#elif KERNEL == 1
    double E = e * e, v = 2.0 * u, g = gamma3(v, E), none = 0.0;
    double a0 = s.P00, b0 = s.P01, a1 = s.P01, b1 = s.P11;
    push(u, e, a0, b0, none);
    push(u, e, a1, b1, none);
    push(u, e, a0, a1, none);
    push(u, e, b0, b1, none);
    s.P00 = a0 + g;
    s.P01 = a1 + 0.5 * v * v * E;
    s.P11 = b1 + g + 2.0 * v * E;
#else
    double E = e * e, u2 = u * u, k = 16.0 / 3.0;
    double g4 = 0.75 * gamma5(2.0 * u, E), g3 = (2.0 * g4 + E * u2 * u2) * 0.25;
    double g2 = (2.0 * g3 + E * u2 * u) / 3.0, g1 = (2.0 * g2 + E * u2) * 0.5, g0 = 2.0 * g1 + E * u;
    g4 *= 0.25;
    double a0 = s.P00, b0 = s.P01, c0 = s.P02, a1 = s.P01, b1 = s.P11, c1 = s.P12, a2 = s.P02, b2 = s.P12, c2 = s.P22;
    push(u, e, a0, b0, c0);
    push(u, e, a1, b1, c1);
    push(u, e, a2, b2, c2);
    push(u, e, a0, a1, a2);
    push(u, e, b0, b1, b2);
    push(u, e, c0, c1, c2);
    s.P00 = a0 + k * g4;
    s.P01 = a1 + k * (0.5 * g3 - g4);
    s.P02 = a2 + k * (0.5 * g2 - g3 + g4);
    s.P11 = b1 + k * (g2 - g3 + g4);
    s.P12 = b2 + k * (g1 - 2.5 * g2 + 1.5 * g3 - g4);
    s.P22 = c2 + k * (g0 - 4.0 * g1 + 5.0 * g2 - 2.0 * g3 + g4);
#endif
}

extern "C" __global__ void sweep(
    REAL *X, REAL *Y, const long long *count, const double *px, const double *py, const double *scale,
    const double *noise, const double *centre, const double *Q, const double *slope, double *F, double *C, double *G,
    long long n, long long stride
) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    State s = {0.0, 0.0, 0.0, 1.0, 0.0, -1.0 / 3.0, KERNEL == 2 ? 1.0 / 3.0 : 1.0, 0.0, 1.0};
    double rate = scale[i], r0 = noise[i], mean = centre[i], hx = FRESH ? px[i] : BIG, hy = FRESH ? py[i] : NONE;
    double xp = 0.0, quad = 0.0, logs = 0.0, prod = 1.0;
    bool first = KERNEL != 0;  // a stationary process starts at its first input, without a gap
    double qx[NS], wx[NS], wy[NS], f[NS], v[NS], c0[NS], c1[NS], c2[NS], ab[NS];
#pragma unroll
    for (int j = 0; j < NQ; j++) {
        qx[j] = wx[j] = Q[j * stride + i];
        wy[j] = NONE;
        f[j] = v[j] = c0[j] = c1[j] = c2[j] = ab[j] = 0.0;
    }
    int stored = (int)count[i], rows = stored + (FRESH ? 1 : 0);
    for (int t = 0; t < rows + NQ; t++) {
        double x = BIG, y = NONE;
        if (t < stored) { x = X[t * stride + i]; y = Y[t * stride + i]; }
        if (FRESH && hx < x) {  // slip the new observation in; from here on every row shifts by one
            double x1 = x, y1 = y;
            x = hx; y = hy; hx = x1; hy = y1;
            X[t * stride + i] = (REAL)x;
            Y[t * stride + i] = (REAL)y;
        }
        y -= mean;
#pragma unroll
        for (int j = 0; j < NQ; j++) {
            bool before = wx[j] < x;
            double x1 = before ? x : wx[j], y1 = before ? y : wy[j];
            x = before ? wx[j] : x;
            y = before ? wy[j] : y;
            wx[j] = x1;
            wy[j] = y1;
        }
        double u = x - xp;
        u = (u < FINITE && !first) ? u : 0.0;
        first = false;
        xp = x;
        double e = 1.0;
        if (KERNEL != 0) { u = u * rate < 700.0 ? u * rate : 700.0; e = exp(-u); }
        bool none = y > SOME;
        double r = none ? DEAF : r0;
        predict(s, u, e, rate);
        double n0 = s.m0, p00 = s.P00, p01 = s.P01, p02 = s.P02;
        double ws = 1.0 / (p00 + r), es = (y - n0) * ws, rs = r * ws, k1 = p01 * ws, k2 = p02 * ws;
        s.m0 += p00 * es;
        s.m1 += p01 * es;
        s.P00 = p00 * rs;
        s.P01 = p01 * rs;
        s.P11 -= p01 * k1;
        if (KERNEL == 2) { s.m2 += p02 * es; s.P02 = p02 * rs; s.P12 -= p01 * k2; s.P22 -= p02 * k2; }
        if (WEIGH) {
            quad += (y - n0) * es;
            prod *= rs;
            if (prod < 1e-200) { logs -= log(prod); prod = 1.0; }
        }
        double old[NS];
#pragma unroll
        for (int j = 0; j < NQ; j++) {
            bool hit = none && x == qx[j], steep = slope[j] > 0.5;
            push(u, e, c0[j], c1[j], c2[j]);
            old[j] = c0[j];
            f[j] = hit ? (steep ? s.m1 : s.m0) : f[j] + c0[j] * es;
            v[j] = hit ? (steep ? s.P11 : s.P00) : v[j] - c0[j] * c0[j] * ws;
            c1[j] = hit ? (steep ? s.P11 : s.P01) : c1[j] - k1 * c0[j];
            c2[j] = hit ? (steep ? s.P12 : s.P02) : c2[j] - k2 * c0[j];
            c0[j] = hit ? (steep ? s.P01 : s.P00) : c0[j] * rs;
        }
#pragma unroll
        for (int j = 1; j < NQ; j++) {
            bool hit = none && x == qx[j], steep = slope[j] > 0.5;
#pragma unroll
            for (int a = 0; a < j; a++) {
                double &cov = ab[a + j - 1];  // (0,1) (0,2) (1,2)
                cov = hit ? (steep ? c1[a] : c0[a]) : cov - old[a] * old[j] * ws;
            }
        }
    }
#pragma unroll
    for (int j = 0; j < NQ; j++) {
        F[j * stride + i] = f[j];
        C[j * stride + i] = v[j];
#pragma unroll
        for (int a = 0; a < j; a++) C[(3 + a + j - 1) * stride + i] = ab[a + j - 1];
    }
    if (WEIGH) { G[i] = quad; G[stride + i] = logs - log(prod); }
}
