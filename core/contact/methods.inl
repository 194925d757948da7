#pragma once

// What registerMakers() needs of every method of the program.
#include "core/contact/cpf/cpf.inl"
#include "core/contact/dpf/dpf.inl"
#include "core/contact/methods.h"
#include "core/contact/nsn/nsn.inl"
