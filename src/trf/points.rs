//! Points, in hundredths.

use std::{
    fmt,
    iter::Sum,
    ops::{Add, AddAssign, Sub},
    str::FromStr,
};

use serde::{Serialize, Serializer};

/// Points in hundredths, because half of a half point is a quarter. Written as `1.5`, without
/// needless digits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points(i32);

impl Points {
    /// No points.
    pub const ZERO: Self = Self(0);

    /// Whole points and hundredths.
    #[must_use]
    pub const fn hundredths(hundredths: i32) -> Self {
        Self(hundredths)
    }

    /// The product of two numbers of points, as Sonneborn-Berger needs it.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        let product = i64::from(self.0) * i64::from(other.0) / 100;
        Self(i32::try_from(product).unwrap_or(i32::MAX))
    }

    /// A share of the points, rounded down to hundredths.
    pub(crate) const fn divided(self, count: i32) -> Self {
        Self(if count > 0 { self.0 / count } else { 0 })
    }

    /// The text of four characters in a TRF field: `11.5`.
    pub(crate) fn in_field(self) -> String {
        let tenths = self.0 / 10;
        let sign = if tenths < 0 { "-" } else { "" };
        let text = format!("{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10);
        format!("{text:>4}")
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, part) = (self.0.unsigned_abs() / 100, self.0.unsigned_abs() % 100);
        let text = match (part % 10, part) {
            (_, 0) => format!("{sign}{whole}"),
            (0, part) => format!("{sign}{whole}.{}", part / 10),
            (_, part) => format!("{sign}{whole}.{part:02}"),
        };
        f.pad(&text)
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Points {
    type Err = ();

    /// Reads up to five digits before the point and one or two after it.
    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.trim();
        let (negative, digits) = text
            .strip_prefix('-')
            .map_or((false, text), |digits| (true, digits));
        let (whole, part) = digits.split_once(['.', ',']).unwrap_or((digits, "0"));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let fits = (1..=5).contains(&whole.len()) && (1..=2).contains(&part.len());
        if !fits || !is_number(whole) || !is_number(part) {
            return Err(());
        }
        let part = if part.len() == 1 {
            format!("{part}0")
        } else {
            part.to_owned()
        };
        let whole: i32 = whole.parse().map_err(|_| ())?;
        let part: i32 = part.parse().map_err(|_| ())?;
        let value = whole * 100 + part;
        Ok(Self(if negative { -value } else { value }))
    }
}

impl Add for Points {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Points {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}
