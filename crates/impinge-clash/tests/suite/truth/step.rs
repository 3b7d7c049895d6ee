//! Writes bodies as STEP files: faceted boundary representations, one for each body.

use super::body::Body;
use impinge::glam::DVec3;
use std::fmt::Write;

const HEAD: &str = "ISO-10303-21;
HEADER;
FILE_DESCRIPTION(('A pair of bodies'),'2;1');
FILE_NAME('pair','2026-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
#1=APPLICATION_CONTEXT('core data for automotive mechanical design processes');
#2=APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,#1);
#3=PRODUCT_CONTEXT('',#1,'mechanical');
#4=PRODUCT('pair','pair','',(#3));
#5=PRODUCT_DEFINITION_FORMATION('','',#4);
#6=PRODUCT_DEFINITION_CONTEXT('part definition',#1,'design');
#7=PRODUCT_DEFINITION('design','',#5,#6);
#8=PRODUCT_DEFINITION_SHAPE('','',#7);
#9=SHAPE_DEFINITION_REPRESENTATION(#8,#10);
#11=CARTESIAN_POINT('',(0.,0.,0.));
#12=DIRECTION('',(0.,0.,1.));
#13=DIRECTION('',(1.,0.,0.));
#14=AXIS2_PLACEMENT_3D('',#11,#12,#13);
#15=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));
#16=(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.));
#17=(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT());
#18=UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-7),#15,'distance_accuracy_value','');
#19=(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((#18))GLOBAL_UNIT_ASSIGNED_CONTEXT((#15,#16,#17))REPRESENTATION_CONTEXT('',''));
";

/// Three numbers; each needs a point.
fn triple(p: DVec3) -> String {
    let number = |x: f64| match format!("{x:E}").split_once('E') {
        Some((digits, exponent)) if digits.contains('.') => format!("{digits}E{exponent}"),
        Some((digits, exponent)) => format!("{digits}.E{exponent}"),
        None => unreachable!("the format has an exponent"),
    };
    p.to_array().map(number).join(",")
}

/// The text of a file with both bodies.
pub(super) fn written(bodies: &[Body; 2]) -> String {
    let mut text = HEAD.to_owned();
    let mut last = 19;
    let mut add = |text: &mut String, entity: std::fmt::Arguments<'_>| -> u32 {
        last += 1;
        writeln!(text, "#{last}={entity};").expect("memory");
        last
    };
    let mut solids = Vec::new();
    for body in bodies {
        let points: Vec<u32> = body
            .positions
            .iter()
            .map(|p| add(&mut text, format_args!("CARTESIAN_POINT('',({}))", triple(*p))))
            .collect();
        let mut faces = Vec::new();
        for &face in &body.faces {
            let [a, b, c] = face.map(|vertex| points[vertex as usize]);
            let [p, q, r] = face.map(|vertex| body.positions[vertex as usize]);
            let (along, normal) = ((q - p).normalize(), (q - p).cross(r - p).normalize());
            let poly = add(&mut text, format_args!("POLY_LOOP('',(#{a},#{b},#{c}))"));
            let bound = add(&mut text, format_args!("FACE_OUTER_BOUND('',#{poly},.T.)"));
            let [normal, along] = [normal, along]
                .map(|d| add(&mut text, format_args!("DIRECTION('',({}))", triple(d))));
            let place =
                add(&mut text, format_args!("AXIS2_PLACEMENT_3D('',#{a},#{normal},#{along})"));
            let plane = add(&mut text, format_args!("PLANE('',#{place})"));
            let face = add(&mut text, format_args!("FACE_SURFACE('',(#{bound}),#{plane},.T.)"));
            faces.push(format!("#{face}"));
        }
        let shell = add(&mut text, format_args!("CLOSED_SHELL('',({}))", faces.join(",")));
        solids.push(add(&mut text, format_args!("FACETED_BREP('',#{shell})")));
    }
    let [a, b] = [solids[0], solids[1]];
    writeln!(text, "#10=FACETED_BREP_SHAPE_REPRESENTATION('',(#14,#{a},#{b}),#19);")
        .expect("memory");
    text + "ENDSEC;\nEND-ISO-10303-21;\n"
}
