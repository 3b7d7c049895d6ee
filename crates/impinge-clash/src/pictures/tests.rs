use super::*;
use impinge_io::write_atomically;
use std::fs;

/// If `IMPINGE_SHOTS` names a folder: writes pictures of the gearbox and of other assemblies to look at.
#[test]
fn pictures_to_look_at() {
    let Some(folder) = std::env::var_os("IMPINGE_SHOTS").map(PathBuf::from) else { return };
    let save = |name: &str, image: &Image| {
        write_atomically(folder.join(name), |out| image.write(out)).unwrap();
    };
    let gearbox = samples::gearbox();
    let clock = std::time::Instant::now();
    save("gearbox.png", &overview(&gearbox, [1600, 1000]));
    println!("gearbox overview {:?}", clock.elapsed());
    for row in 0..gearbox.rows.len() {
        let clock = std::time::Instant::now();
        let image = Studio::new(&gearbox).of_clash(row, SIZE).image;
        println!("gearbox {row} {:?}", clock.elapsed());
        save(file_name(&gearbox, row).to_str().unwrap(), &image);
    }
    let plant = plant(100_000);
    println!("plant: {} faces", plant.assembly.face_count());
    let clock = std::time::Instant::now();
    let studio = Studio::new(&plant);
    println!("plant studio {:?}", clock.elapsed());
    for row in 0..2 {
        let clock = std::time::Instant::now();
        let shot = studio.of_clash(row, SIZE);
        println!("plant {row} {:?}", clock.elapsed());
        save(&format!("plant-{row}.png"), &shot.image);
    }
    let clock = std::time::Instant::now();
    save("plant.png", &studio.overview(SIZE).image);
    println!("plant overview {:?}", clock.elapsed());
    let Some(data) = std::env::var_os("IMPINGE_DATA").map(PathBuf::from) else { return };
    for (name, path) in [
        ("car", "assemblies/car-concept/CarConcept.geometry.glb"),
        ("watch", "assemblies/chronograph-watch/ChronographWatch.gltf"),
        ("gears", "assemblies/gears"),
        ("piston", "assemblies/piston"),
    ] {
        let options = impinge_io::assembly::LoadOptions::default();
        let assembly = impinge_io::assembly::load(&[data.join(path)], &options).unwrap();
        let findings = samples::of(assembly, 0.0);
        println!("{name}: {} parts, {} rows", findings.assembly.parts.len(), findings.rows.len());
        let studio = Studio::new(&findings);
        let clock = std::time::Instant::now();
        save(&format!("{name}.png"), &studio.overview([1600, 1000]).image);
        println!("{name} overview {:?}", clock.elapsed());
        for row in (0..findings.rows.len()).step_by(findings.rows.len().div_ceil(5).max(1)) {
            let clock = std::time::Instant::now();
            save(&format!("{name}-{row}.png"), &studio.of_clash(row, SIZE).image);
            println!("{name} {row} {:?}", clock.elapsed());
        }
    }
}

/// Instances of two hundred meshes of a thousand faces, in a 3D grid; each touches the next of its row.
fn plant(count: usize) -> Findings {
    use crate::findings::Row;
    use impinge::{FacePair, generate::torus, glam::DMat3};
    let mut assembly = Assembly::default();
    for number in 0..200_u32 {
        let minor = 0.15 + 0.001 * f64::from(number);
        assembly.meshes.push(std::sync::Arc::new(torus(1.0, minor, [25, 20]).unwrap()));
    }
    for number in 0..count {
        let [x, y, z] = [number % 50, number / 50 % 20, number / 1000].map(|at| at as f64);
        let turn = DMat3::from_rotation_x(x * 0.7) * DMat3::from_rotation_y(z);
        let pose = Pose::new(turn, DVec3::new(x * 2.4, y * 2.6, z * 2.5)).unwrap();
        assembly.parts.push(AssemblyPart::new(format!("pipe {number}"), number * 7 % 200, pose));
    }
    let row = |a: usize| {
        let mut clash = Clash::new(a, a + 1, Verdict::Penetrating);
        clash.points = [assembly.parts[a].placement.translation() + DVec3::X * 1.2; 2];
        clash.faces = (0..30).map(|face| FacePair { a: face, b: face + 500 }).collect();
        Row::new(clash)
    };
    let rows: Vec<Row> = (0..count - 1).step_by(count / 40).map(row).collect();
    Findings::new(assembly, rows)
}

/// A small picture has the same features as a large one: background at its corners, parts in the middle, and
/// the colours of both sides of the clash.
#[test]
fn a_clash_is_in_its_picture() {
    let findings = samples::gearbox();
    let studio = Studio::new(&findings);
    for row in 0..findings.rows.len() {
        let shot = studio.of_clash(row, [720, 480]);
        let like = |pixel: &&Color, color: Color| {
            // Compare hues: light changes the brightness of a colour.
            let [r, g, b] = pixel.map(f64::from);
            let [x, y, z] = color.map(f64::from);
            let cosine = (r * x + g * y + b * z)
                / ((r * r + g * g + b * b).sqrt() * (x * x + y * y + z * z).sqrt());
            cosine > 0.98
        };
        let [a, b] =
            FACES.map(|color| shot.image.pixels.iter().filter(|it| like(it, color)).count());
        assert!(a + b > 10, "row {row}: {a} and {b} pixels in the colours of the faces");
        let clash = &findings.rows[row].clash;
        let [x, y] = shot.camera.project(middle(clash), 720, 480).unwrap();
        assert!((180.0..540.0).contains(&x) && (120.0..360.0).contains(&y), "{x} {y}");
        assert_eq!(shot.image, studio.of_clash(row, [720, 480]).image);
    }
}

#[test]
fn the_overview_shows_every_part() {
    let findings = samples::gearbox();
    let shot = Studio::new(&findings).overview([240, 160]);
    let background = shot.image.pixels[0];
    for (part, bounds) in findings.assembly.parts.iter().zip(&Studio::new(&findings).parts) {
        let [x, y] = shot.camera.project(bounds.center(), 240, 160).unwrap();
        assert!((0.0..240.0).contains(&x) && (0.0..160.0).contains(&y), "{}", part.name);
    }
    let drawn =
        shot.image.pixels.iter().filter(|pixel| pixel[0].abs_diff(background[0]) > 45).count();
    assert!(drawn > 240 * 160 / 10, "{drawn} pixels");
}

#[test]
fn nothing_and_extremes_can_be_drawn() {
    let empty = samples::of(Assembly::default(), 0.0);
    assert_eq!(overview(&empty, [30, 20]).pixels.len(), 600);
    assert_eq!(overview(&empty, [0, 0]).pixels.len(), 0);
    let mut findings = samples::gearbox();
    for point in [DVec3::splat(1e100), DVec3::ZERO] {
        let clash = &mut findings.rows[0].clash;
        (clash.points, clash.extent, clash.faces) = ([point; 2], Bounds::EMPTY, Vec::new());
        assert_eq!(Studio::new(&findings).of_clash(0, [30, 20]).image.pixels.len(), 600);
    }
}

#[test]
fn names_of_files_are_harmless() {
    for (name, expected) in [
        ("bolt front right", "bolt-front-right"),
        ("../../etc/passwd", "..-..-etc-passwd"),
        ("a/b\\c:d*e?f\"g<h>i|j\0k\n", "a-b-c-d-e-f-g-h-i-j-k"),
        ("wheel#2", "wheel-2"),
        ("", "part"),
        ("???", "part"),
        ("Zahnrad_ö.1", "Zahnrad_ö.1"),
    ] {
        assert_eq!(safe(name), expected);
    }
    assert!(safe(&"ö".repeat(1000)).len() <= 100);
    let findings = samples::gearbox();
    assert_eq!(file_name(&findings, 2), Path::new("0003-pinion--wheel.png"));
}

#[test]
fn a_folder_of_pictures_is_written() {
    let findings = samples::gearbox();
    let folder = std::env::temp_dir().join(format!("impinge-pictures-{}", std::process::id()));
    let mut count = 0;
    let mut done = || {
        count += 1;
        ControlFlow::Continue(())
    };
    assert_eq!(save_all(&findings, &folder, 2, &mut done).unwrap(), 2);
    assert_eq!(count, 2);
    let enough = || ControlFlow::Break(());
    assert!(matches!(save_all(&findings, &folder, 2, enough), Err(Error::Stopped)));
    let mut names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(
        names,
        [file_name(&findings, 0), file_name(&findings, 1)].map(PathBuf::into_os_string)
    );
    fs::remove_dir_all(&folder).unwrap();
}
