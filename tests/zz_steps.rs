fn steps(m: Move, color: Color, order: u8) -> Vec<(Square, Seen)> {
    let piece = |role: Role| Seen::Piece(role.of(color));
    match m {
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } => {
            let placed = piece(promotion.unwrap_or(role));
            match (capture, order % 3) {
                (Some(_), 0) => vec![(to, Seen::Empty), (from, Seen::Empty), (to, placed)],
                (Some(_), 1) => vec![(from, Seen::Empty), (to, Seen::Empty), (to, placed)],
                (None, 1) => vec![(to, placed), (from, Seen::Empty)],
                (_, _) => vec![(from, Seen::Empty), (to, placed)],
            }
        }
        Move::EnPassant { from, to } => {
            let victim = Square::from_coords(to.file(), from.rank());
            let mut steps = vec![
                (from, Seen::Empty),
                (to, piece(Role::Pawn)),
                (victim, Seen::Empty),
            ];
            steps.rotate_left(usize::from(order % 3 == 2) * 2);
            steps
        }
        Move::Castle { king, rook } => {
            let side = shakmaty::CastlingSide::from_king_side(king < rook);
            let (k, r) = (
                vec![
                    (king, Seen::Empty),
                    (side.king_to(color), piece(Role::King)),
                ],
                vec![
                    (rook, Seen::Empty),
                    (side.rook_to(color), piece(Role::Rook)),
                ],
            );
            if order % 3 == 2 {
                [r, k].concat()
            } else {
                [k, r].concat()
            }
        }
        Move::Put { .. } => unreachable!("chess has no drops"),
    }
}
