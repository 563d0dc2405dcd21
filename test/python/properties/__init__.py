"""Random kernels against the oracle of `test/oracle`.

`kernels` draws legal kernels as text, `faults` plants one fault in a legal kernel, `check` runs the
oracle and the machine at each level and compares. `forms` lists what is not generated yet.
`make fuzz CASES=20000` runs more cases with a fresh seed.
"""
