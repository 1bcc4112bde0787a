//! The table of an environment in the form that a client asks for.

use super::error::ApiError;
use crate::host::{BatchError, TableForm};
use crate::proto::v1::TableForm as Form;
use crate::proto::v1::run_request::Render;
use crate::proto::v1::run_response::Rendered;
use crate::raster::Raster;

/// Answers a request for the table, which `table` returns as text or as SVG.
pub(super) fn rendered(
    request: &Render,
    table: impl Fn(TableForm) -> Result<String, BatchError>,
) -> Result<Rendered, ApiError> {
    Ok(match ApiError::read_value("form", request.form)? {
        Form::Unspecified | Form::Text => Rendered { text: table(TableForm::Text)?, ..Rendered::default() },
        Form::Svg => Rendered { text: table(TableForm::Svg)?, ..Rendered::default() },
        Form::Png => Rendered { image: png(&table(TableForm::Svg)?, request.width)?.into(), ..Rendered::default() },
    })
}

/// The width of a PNG by default, in pixels.
const WIDTH: u32 = 800;

fn png(svg: &str, width: Option<u32>) -> Result<Vec<u8>, ApiError> {
    let picture = Raster::of(svg, width.unwrap_or(WIDTH));
    Ok(picture.map_err(|error| ApiError::bad_field("width", error.to_string()))?.png())
}
