// What the Python op bindings of the ktdp dialect are generated from.
include "ktdp/KtdpOps.td"
