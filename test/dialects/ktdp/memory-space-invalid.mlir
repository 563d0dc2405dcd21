// RUN: ktir-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{core affinity is only valid for LX or L0 memory spaces, but got memory space 'HBM' with core = 2}}
func.func private @hbm(memref<4xf32, #ktdp.spyre_memory_space<HBM, core = 2>>)

// -----

// expected-error @below {{core affinity is only valid for LX or L0 memory spaces, but got memory space 'unspecified' with core = 0}}
func.func private @unspecified(memref<4xf32, #ktdp.spyre_memory_space<unspecified, core = 0>>)

// -----

// expected-error @below {{core = -1 in a memory space; cores are numbered from 0}}
func.func private @negative(memref<4xf32, #ktdp.spyre_memory_space<LX, core = -1>>)

// -----

// expected-error @below {{ct_id is only valid for ct_local memory spaces, but got memory space 'global' with ct_id = 3; leave 'ct_id' out}}
func.func private @global(memref<4xf32, #ktdp.memory_space<global, ct_id = 3>>)

// -----

// expected-error @below {{ct_id = -2 in a memory space; compute tiles are numbered from 0}}
func.func private @negative_tile(memref<4xf32, #ktdp.memory_space<ct_local, ct_id = -2>>)

// -----

// expected-error @below {{'ktdp.cores' is 0 : i64 on 'builtin.module'; expected a positive integer on a module}}
module attributes {ktdp.cores = 0} {}
