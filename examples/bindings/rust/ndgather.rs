// ndgather.rs - ndgather from Rust: one file, std alone, safe slices
//
//     make shared
//     rustc --edition 2021 -O -L build -l ndgather -o build/mandelbrot \
//         examples/bindings/rust/ndgather.rs
//     LD_LIBRARY_PATH=build build/mandelbrot
use std::os::raw::{c_char, c_int, c_uint, c_void};
use std::{fmt, mem, ptr, thread};

const WRITTEN_FOR: c_int = 10100; // another minor version has other structs
macro_rules! zero { () => { unsafe { mem::zeroed() } } }
macro_rules! structs {
    ($($name:ident { $($field:ident: $type:ty),* })*) => { $(
        #[allow(non_camel_case_types)] #[repr(C)] #[derive(Clone, Copy, Debug)]
        pub struct $name { $(pub $field: $type),* } )* }
}
structs! {
    ndg_bad { count: isize, list: isize, position: isize, component: c_int,
        is_u64: c_int, value: i64, extent: isize, changed: c_int,
        from_end: c_int }
    ndg_report { status: c_int, op: c_int, operand: c_int, axis: c_int,
        item: isize, value: i64, bound: i64, bad: ndg_bad, rows: [isize; 3] }
    ndg_shape { rank: c_int, strided: c_int, dim: [isize; 4],
        stride: [isize; 4], dims: *const isize, strides: *const isize }
    ndg_gather_desc { params: ndg_shape, indices: ndg_shape, elem_size: isize,
        index_type: c_int, batch_dims: c_int, axis: c_int, policy: c_int,
        negative: c_int, overlap: c_int, features: c_uint, fill: [u8; 16],
        out: ndg_shape, index_mask: i64, index_add: i64 }
    ndg_gather_plan { room: [u64; 256] } // for the library: twice what it needs
}
extern "C" {
    fn ndg_version() -> c_int;
    fn ndg_report_merge(into: *mut ndg_report, from: *const ndg_report);
    fn ndg_report_text(buf: *mut c_char, cap: isize, report: *const ndg_report,
        indices: *const ndg_shape) -> isize;
    fn ndg_plan_gather(plan: *mut ndg_gather_plan,
        desc: *const ndg_gather_desc, report: *mut ndg_report) -> c_int;
    fn ndg_gather_run_range(plan: *const ndg_gather_plan, out: *mut c_void,
        out_bytes: isize, params: *const c_void, indices: *const c_void,
        first: isize, last: isize, report: *mut ndg_report) -> c_int;
}
/// A row of a table. Safe to implement if bytes that are all zero are one.
pub unsafe trait Row: Copy + Send + Sync {}
unsafe impl Row for f32 {}
unsafe impl Row for f64 {}
unsafe impl<T: Row, const N: usize> Row for [T; N] {}
/// What picks rows. Safe to implement if TYPE is what the header calls Self.
pub unsafe trait Index: Copy + Sync { const TYPE: c_int; }
macro_rules! integers { ($($t:ty: $code:expr),*) => { $(
    unsafe impl Row for $t {}
    unsafe impl Index for $t { const TYPE: c_int = $code; } )* } }
integers!(i32: 0, i8: 1, i16: 2, i64: 3, u8: 4, u16: 5, u32: 6, u64: 7);
/// What safe code may ask for: not NDG_ASSUME_VALID.
pub enum Policy { Error = 1, Zero = 2, Clip = 4, Wrap = 5, Keep = 6 }
#[derive(Debug)]
pub enum Error { Version(c_int), Index(ndg_report), Refused(ndg_report) }
impl std::error::Error for Error {}
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { match self {
        Error::Version(v) => write!(f, "library {v}, structs of {WRITTEN_FOR}"),
        Error::Index(report) | Error::Refused(report) => report.fmt(f) } }
}
impl fmt::Display for ndg_report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut b = [0u8; 256]; // ASCII; zeros behind it
        let text = b.as_mut_ptr().cast();
        unsafe { ndg_report_text(text, 256, self, ptr::null()) };
        f.write_str(String::from_utf8_lossy(&b).trim_end_matches('\0'))
    }
}
/// The header has it inline, so that no library exports it.
fn ndg_dims1(n: usize) -> ndg_shape {
    ndg_shape { rank: 1, dim: [n as isize, 0, 0, 0], ..zero!() }
}
/// out[i] = table[ids[i]], in as many ranges as there are threads.
pub fn gather<T: Row, I: Index>(out: &mut [T], table: &[T], ids: &[I],
    policy: Policy, threads: usize) -> Result<ndg_report, Error> {
    let v = unsafe { ndg_version() };
    if v / 100 != WRITTEN_FOR / 100 { return Err(Error::Version(v)) }
    let desc = ndg_gather_desc { params: ndg_dims1(table.len()),
        indices: ndg_dims1(ids.len()), elem_size: mem::size_of::<T>() as isize,
        index_type: I::TYPE, policy: policy as c_int, ..zero!() };
    let (mut plan, mut all): (ndg_gather_plan, ndg_report) = zero!();
    if unsafe { ndg_plan_gather(&mut plan, &desc, &mut all) } != 0 {
        return Err(Error::Refused(all))
    }
    let (n, step) = (ids.len() as isize, ids.len() / threads.max(1) + 1);
    let (bytes, to) = (mem::size_of_val(out), out.as_mut_ptr() as usize);
    let range = |first: isize| unsafe {
        let mut part = mem::zeroed();
        ndg_gather_run_range(&plan, to as *mut c_void, bytes as isize,
            table.as_ptr().cast(), ids.as_ptr().cast(), first,
            n.min(first + step as isize), &mut part);
        part
    };
    thread::scope(|s| {
        let work: Vec<_> = (0..n.max(1)).step_by(step)
            .map(|first| s.spawn(move || range(first))).collect();
        for part in work.into_iter().map(|w| w.join().unwrap()) {
            unsafe { ndg_report_merge(&mut all, &part) }
        }
    });
    match all.status { 0 => Ok(all), 2 => Err(Error::Index(all)),
        _ => Err(Error::Refused(all)) }
}
fn main() -> Result<(), Error> {
    let ids: Vec<u8> = (0..76 * 22).map(|p| { // steps until each point leaves
        let (a, b) = ((p % 76) as f64 / 26. - 2.1, (p / 76) as f64 / 10. - 1.);
        let (mut x, mut y) = (0., 0.);
        (0..23).find(|_| { (x, y) = (x * x - y * y + a, 2. * x * y + b);
            x * x + y * y > 4. }).unwrap_or(255) }).collect();
    let (tones, mut out) = (b" .,:;-=+*ioaxdOD#X%&$W@", [[b' '; 76 * 22]; 2]);
    let report = gather(&mut out[0], tones, &ids, Policy::Keep, 1)?;
    gather(&mut out[1], tones, &ids, Policy::Keep, 4)?;
    for l in out[0].chunks(76) { println!("{}", String::from_utf8_lossy(l)) }
    println!("{report}\nfour threads, the same bytes: {}", out[0] == out[1]);
    let bad = gather(&mut out[1], tones, &[3, -7], Policy::Error, 2);
    println!("{}", bad.unwrap_err());
    Ok(())
}
