// What the Python op bindings of the spyreop dialect are generated from.
include "spyreop/SpyreOpOps.td"
