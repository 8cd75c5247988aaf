// @ts-check
// The shapes of the server's answers (/api/v1/), for the type checker and the reader; no code. What they mean is
// written in docs/http.md. All numbers are in seeds, from the view of the player to move; a move's from its player's.

/** @typedef {"south" | "north"} Side */
/** @typedef {"win" | "draw" | "loss" | "open"} Outcome */
/** @typedef {"exact" | "bounded" | "window" | "over" | "estimate"} Certainty */

/**
 * @typedef {object} Pos an Oware position
 * @property {string} text
 * @property {number[]} board South's houses first, then North's, in sowing order
 * @property {[number, number]} stores South's and North's
 * @property {Side} turn
 * @property {number} seeds seeds on the board
 * @property {number} total all seeds of the game
 */

/** @typedef {{how: string, final: [number, number], words: string}} End */

/**
 * @typedef {object} Move
 * @property {string} move its letter
 * @property {number} house
 * @property {number} captured
 * @property {number[]} sowing houses in the order the seeds fall
 * @property {number[]} captures houses captured, the last one first
 * @property {boolean} slam a grand slam that captures nothing
 * @property {Pos} after
 * @property {End | null} ends
 * @property {Outcome | null} outcome
 * @property {Certainty | null} certainty
 * @property {number | null} value
 * @property {number | null} lower
 * @property {number | null} upper
 * @property {number | null} window
 * @property {number | null} distance
 * @property {[number, number] | null} final
 * @property {string | null} verdict
 */

/**
 * @typedef {object} Answer what `oware` says of a position
 * @property {{id: string, grand_slam: string, cycle: string, pits: number, bounds: boolean}} rules
 * @property {Pos} position
 * @property {{start: string, moves: string[]}} game
 * @property {Certainty | null} certainty
 * @property {number | null} value
 * @property {number | null} lower
 * @property {number | null} upper
 * @property {number | null} window
 * @property {number | null} distance
 * @property {[number, number] | null} final
 * @property {string | null} verdict
 * @property {End | null} over
 * @property {boolean} repeats
 * @property {string} order
 * @property {Move[]} moves
 * @property {ErrorBody} [error] beside the rest where a table is missing
 */

/**
 * @typedef {{kind: string, message: string, where: string | null, command: string | null, seeds: number | null,
 *   build: {boards: number, bytes: number, seconds: number} | null}} ErrorBody
 */

/**
 * @typedef {object} SearchLine
 * @property {string} move
 * @property {number} score final margin, stores included
 * @property {number} low
 * @property {number} high
 * @property {boolean} exact
 * @property {string[]} pv
 */

/**
 * @typedef {object} Depth one step of a search
 * @property {number} depth
 * @property {number} nodes
 * @property {number} seconds
 * @property {number} nodes_per_second
 * @property {number} table_hits
 * @property {"exact" | "estimate"} certainty
 * @property {SearchLine[]} lines
 */

/**
 * @typedef {object} ReviewMove
 * @property {number} ply
 * @property {Side} side
 * @property {string} move
 * @property {number | null} value
 * @property {number | null} lower
 * @property {number | null} upper
 * @property {string | null} best
 * @property {number | null} best_value
 * @property {number | null} loss
 * @property {Certainty | null} certainty
 * @property {"inaccuracy" | "mistake" | "blunder" | null} mistake
 * @property {Pos | null} after null where the review has not come yet
 */

/**
 * @typedef {object} Review
 * @property {string} title
 * @property {string} rules
 * @property {Pos | null} start null where the review has not come yet
 * @property {string} result
 * @property {string[]} warnings
 * @property {ReviewMove[]} moves
 * @property {{south: number | null, north: number | null}} average_loss
 */

/**
 * @typedef {object} Tier
 * @property {number} seeds
 * @property {number | null} window
 * @property {number} boards
 * @property {number} wins
 * @property {number} draws
 * @property {number} losses
 * @property {number | null} exact
 * @property {string[]} quantities
 * @property {boolean} packed
 * @property {number} bytes
 * @property {string} sha256
 * @property {[number, number][]} [histogram]
 * @property {{distance: number, position: Pos} | null} [longest]
 */

/**
 * @typedef {object} OmwesoPos each side's pits in its own numbering: the outer row from left to right, then the inner from right to left
 * @property {string} text
 * @property {number[]} side the mover's
 * @property {number[]} opponent
 * @property {Side} turn
 * @property {number} seeds
 */

/**
 * @typedef {object} Turn
 * @property {string} turn
 * @property {number} pit
 * @property {{symbol: string, words: string}[]} choices
 * @property {string} status
 * @property {number} captured
 * @property {number} laps
 * @property {OmwesoPos} after
 * @property {{name: string, points: number} | null} points
 */

/**
 * @typedef {object} Lap
 * @property {number} pit
 * @property {number} lifted
 * @property {{side: "mover" | "opponent", pit: number}[]} sown
 * @property {number[]} captured
 * @property {"start" | "relay" | "capture"} kind
 * @property {number[]} side
 * @property {number[]} opponent
 */

export {};
