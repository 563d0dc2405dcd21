"""Distribution: from whole-tensor kernels to one function a kernel, tiled by upstream's
transforms.
"""
