//! Checks every verdict of the fast methods against plain exhaustive closure.
//!
//! `cargo bench --bench dead_fuzz -- [POSITIONS] [SEED]` makes random positions. It closes each
//! with `shakmaty` in a plain table and works backwards from the mates. So it knows for *every*
//! position reachable from there which sides can still mate.
//!
//! Each of these positions is given to the solver with hardly any closure of its own, so that the
//! search and the mobility argument must decide. Some are analysed again, with sketches and next to
//! no search or closure. In addition, random games are played around cages, in which every man must
//! stay where its mobility says.
//!
//! It ends with an error at the first contradiction, and prints how many positions both closure and
//! solver decided.

fn main() {
    let numbers: Vec<u64> = std::env::args()
        .filter_map(|word| word.parse().ok())
        .collect();
    let wanted = numbers.first().copied().unwrap_or(1_000_000);
    let seed = numbers.get(1).copied().unwrap_or(1);
    let mut run = remisd_closures::Run::new(seed);
    let mut next = wanted.min(20_000);
    while run.tally.positions < wanted {
        run.step();
        run.cage();
        if run.tally.positions >= next {
            println!("{}", run.tally);
            next += 1_000_000.min(wanted - next).max(1);
        }
    }
    println!("{}", run.tally);
    println!("no contradiction");
}
