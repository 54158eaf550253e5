import { unpackPlaces } from '@latchkey/host/shared'
import { FIRST, LONG, SHORT } from './common-passwords.js'
import { placeOf } from './place-of.js'

/** A text that is repeated has at most so many characters. */
const MAX_REPEATED = 8

/** Rows of keys and of letters, which people type along. */
const ROWS = [
  '0123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
]

/**
 * Is it one of the most common passwords, a short text that is repeated, or a row of keys?
 *
 * Public lists have few long passwords. Two of the very first ones behind each other are what guesses of long ones begin with.
 *
 * @param text in NFC, of any case
 */
export function isCommon(text: string): boolean {
  const password = folded(text)
  return isRepeated(password) || isRow(password) || isListed(password) || isPair(password)
}

function isPair(password: string): boolean {
  return FIRST.some((one) => password.startsWith(one) && FIRST.includes(password.slice(one.length)))
}

/** A list of passwords, as places among many. */
interface List {
  readonly places: number
  readonly lowBits: number
  readonly packed: string
}

/** Passwords of so many characters have a list of their own, which is short: hardly any other password has a place in it. */
const LEAST_LONG = 15

/** The places of a list, unpacked for the first password that is set. */
const known = new Map<List, Set<number>>()

function isListed(password: string): boolean {
  const list = [...password].length < LEAST_LONG ? SHORT : LONG
  const places = known.get(list) ?? unpackPlaces(list.packed, list.lowBits)
  known.set(list, places)
  return places.has(placeOf(password, list.places))
}

/** Does a text consist of another one, again and again, the last time perhaps in part? */
function isRepeated(text: string): boolean {
  const letters = [...text]
  for (let length = 1; length <= MAX_REPEATED && length < letters.length; length++) {
    if (letters.every((letter, at) => letter === letters[at % length])) return true
  }
  return false
}

/** Is it a part of a row, or of one that is repeated, forwards or backwards? */
function isRow(text: string): boolean {
  return ROWS.some((row) => {
    const rows = row.repeat(Math.ceil(text.length / row.length) + 1)
    return rows.includes(text) || [...rows].reverse().join('').includes(text)
  })
}

/** The same for all cases of a text. */
export function folded(text: string): string {
  return text.toLowerCase()
}
