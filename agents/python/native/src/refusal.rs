//! Refusals: errors of the API as an exception that the package turns into its own.

use ahu_host::api::ApiError;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    ahu._native,
    Refused,
    PyException,
    "A refused request. Its arguments are the number of the gRPC code, the reason, the message, the metadata by key, and \
     the field that is wrong, or None."
);

/// Returns the exception that an error of the API is.
pub(crate) fn refused(error: &ApiError) -> PyErr {
    let reason = error.reason.reason();
    let (metadata, field) = (error.metadata.clone(), error.field);
    Refused::new_err((error.code() as i32, reason, error.message(), metadata, field))
}

/// Returns the same error as the exception of the package that it is, an `ahu.ServiceError`.
pub(crate) fn raised(py: Python<'_>, error: &ApiError) -> PyErr {
    let exception = py.import("ahu.errors").and_then(|errors| {
        let arguments = refused(error).into_value(py).getattr(py, "args")?;
        errors.getattr("of_call")?.call1(arguments.cast_bound::<pyo3::types::PyTuple>(py)?.clone())
    });
    exception.map_or_else(|failed| failed, PyErr::from_value)
}
