//! Writes `viewpoint.bcfv`: the camera and the selected parts.

use super::{
    Component, Guid, Version, Viewpoint, ifc_guid,
    xml::{Xml, named},
};
use glam::DVec3;

/// The system that the part names come from.
const SYSTEM: &str = "impinge";

pub(super) fn visualization(version: Version, guid: Guid, viewpoint: &Viewpoint) -> String {
    let mut xml = Xml::new();
    xml.within("VisualizationInfo", &[("Guid", &guid.to_string())], |xml| {
        if !viewpoint.components.is_empty() {
            xml.within("Components", &[], |xml| components(xml, version, viewpoint));
        }
        xml.within("PerspectiveCamera", &[], |xml| {
            triple(xml, "CameraViewPoint", viewpoint.position);
            triple(xml, "CameraDirection", viewpoint.direction);
            triple(xml, "CameraUpVector", viewpoint.up);
            xml.text("FieldOfView", &number(viewpoint.field_of_view));
            if version == Version::V3_0 {
                xml.text("AspectRatio", &number(viewpoint.aspect));
            }
        });
    });
    xml.finish()
}

fn components(xml: &mut Xml, version: Version, viewpoint: &Viewpoint) {
    xml.within("Selection", &[], |xml| {
        viewpoint.components.iter().for_each(|(it, _)| component(xml, it));
    });
    // All other parts are visible as well.
    xml.empty("Visibility", &[("DefaultVisibility", "true")]);
    xml.within("Coloring", &[], |xml| {
        for (it, [red, green, blue]) in &viewpoint.components {
            let color = format!("{red:02X}{green:02X}{blue:02X}");
            xml.within("Color", &[("Color", &color)], |xml| match version {
                Version::V2_1 => component(xml, it),
                Version::V3_0 => xml.within("Components", &[], |xml| component(xml, it)),
            });
        }
    });
}

fn component(xml: &mut Xml, component: &Component) {
    let id = component.ifc_guid.as_deref().filter(|id| ifc_guid(id) == Some(id));
    let id = id.map(|id| ("IfcGuid", id));
    xml.within("Component", id.as_slice(), |xml| {
        xml.text("OriginatingSystem", SYSTEM);
        xml.text("AuthoringToolId", named(&component.name));
    });
}

fn triple(xml: &mut Xml, name: &'static str, of: DVec3) {
    xml.within(name, &[], |xml| {
        for (axis, value) in ["X", "Y", "Z"].into_iter().zip(of.to_array()) {
            xml.text(axis, &number(value));
        }
    });
}

/// Returns a number as XML writes it, with all significant digits.
fn number(value: f64) -> String {
    match value {
        _ if value.is_nan() => "NaN".to_owned(),
        _ if value.is_infinite() => if value > 0.0 { "INF" } else { "-INF" }.to_owned(),
        _ if value != 0.0 && !(1e-5..1e15).contains(&value.abs()) => format!("{value:e}"),
        _ => value.to_string(),
    }
}
