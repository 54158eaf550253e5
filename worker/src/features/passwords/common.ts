import { FIRST, LOW_BITS, PACKED, PLACES } from './common-passwords.js'
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

/** The sorted places of the list, unpacked for the first password that is set. */
let places: Set<number> | undefined

function isListed(password: string): boolean {
  places ??= unpacked()
  return places.has(placeOf(password, PLACES))
}

/** Distances between places, each as Rice's code: a run of ones and a zero, then the low bits. */
function unpacked(): Set<number> {
  const bytes = atob(PACKED)
  const found = new Set<number>()
  let at = 0
  const bit = () => (bytes.charCodeAt(at >> 3) >> (7 - (at++ & 7))) & 1
  const end = bytes.length * 8
  for (let place = -1; ; ) {
    let high = 0
    while (at < end && bit()) high += 1
    if (at + LOW_BITS > end) return found
    let low = 0
    for (let count = 0; count < LOW_BITS; count++) low = low * 2 + bit()
    place += high * 2 ** LOW_BITS + low + 1
    found.add(place)
  }
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
