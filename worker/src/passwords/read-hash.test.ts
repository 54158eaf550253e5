import { describe, expect, test } from 'vitest'
import { readHash } from './read-hash.js'

/** Base64 without padding, of so many bytes. */
function bytes(length: number): string {
  return btoa('k'.repeat(length)).replace(/=+$/, '')
}

function buffer(length: number): Uint8Array {
  return new Uint8Array(length).fill('k'.charCodeAt(0))
}

const salt = bytes(16)
const key = bytes(32)
const read = { salt: buffer(16), key: buffer(32) }
const bcrypt = `${'./AZaz09'.repeat(6)}ABCDE`
const hex = '0123456789abcdef'

const argon = (parameters: string, rest = `${salt}$${key}`) =>
  `$argon2id$v=19$${parameters}$${rest}`
const scrypt = (parameters: string, rest = `${salt}$${key}`) => `$scrypt$${parameters}$${rest}`
const pbkdf2 = (parameters: string, rest = `${salt}$${key}`) =>
  `$pbkdf2-sha256$${parameters}$${rest}`
const django = (rounds: string, rest = `salt$${key}=`) => `pbkdf2_sha256$${rounds}$${rest}`

describe('a hash is read for what it says, up to the bounds', () => {
  test.each<[string, object]>([
    [argon('m=19456,t=2,p=1'), { kind: 'argon2id', memory: 19_456, passes: 2, lanes: 1, ...read }],
    [argon('m=262144,t=4,p=64'), { memory: 262_144, passes: 4, lanes: 64 }],
    [argon('m=16384,t=64,p=64'), { memory: 16_384, passes: 64, lanes: 64 }],
    [argon('m=8,t=1,p=1'), { memory: 8, passes: 1, lanes: 1 }],
    [argon('m=512,t=1,p=64'), { memory: 512, lanes: 64 }],
    [argon('m=8,t=1,p=1', `${bytes(8)}$${bytes(16)}`), { salt: buffer(8), key: buffer(16) }],
    [argon('m=8,t=1,p=1', `${bytes(128)}$${bytes(128)}`), { salt: buffer(128), key: buffer(128) }],
    [
      scrypt('ln=14,r=8,p=1'),
      { kind: 'scrypt', cost: 16_384, blockSize: 8, parallelization: 1, ...read },
    ],
    [scrypt('ln=18,r=8,p=4'), { cost: 262_144, blockSize: 8, parallelization: 4 }],
    [scrypt('ln=14,r=8,p=64'), { cost: 16_384, blockSize: 8, parallelization: 64 }],
    [scrypt('ln=1,r=1,p=1', `${bytes(1)}$${key}`), { cost: 2, salt: buffer(1) }],
    [pbkdf2('i=3000000'), { kind: 'pbkdf2', digest: 'SHA-256', iterations: 3_000_000, ...read }],
    [pbkdf2('i=1500000', `${salt}$${bytes(33)}`), { iterations: 1_500_000 }],
    [`$pbkdf2$1500000$${salt}$${bytes(40)}`, { iterations: 1_500_000 }],
    [`$pbkdf2-sha512$1500000$${salt}$${bytes(64)}`, { iterations: 1_500_000 }],
    [argon('m=8,t=1,p=1', `${salt}==$${key}=`), read],
    [pbkdf2('6400'), { iterations: 6_400 }],
    [pbkdf2('1'), { digest: 'SHA-256', iterations: 1, ...read }],
    [pbkdf2('i=5,l=32'), { digest: 'SHA-256', iterations: 5, ...read }],
    [pbkdf2('i=5,l=64'), { iterations: 5, ...read }],
    [`$pbkdf2$5$${salt}$${key}`, { digest: 'SHA-1', iterations: 5, ...read }],
    [`$pbkdf2-sha1$5$${salt}$${key}`, { digest: 'SHA-1' }],
    [`$pbkdf2-sha512$5$${salt}$${key}`, { digest: 'SHA-512' }],
    [
      pbkdf2('5', `..A.$${'.'.repeat(22)}`),
      {
        salt: new Uint8Array([251, 224, 62]),
        key: new Uint8Array(16).map((_, at) => [251, 239, 190][at % 3] ?? 0),
      },
    ],
    [django('3000000'), { kind: 'pbkdf2', digest: 'SHA-256', iterations: 3_000_000 }],
    [django('1', `${'k'.repeat(128)}$${bytes(16)}`), { salt: buffer(128), key: buffer(16) }],
    [`$2a$04$${bcrypt}`, { kind: 'bcrypt', text: `$2a$04$${bcrypt}` }],
    [`$2b$14$${bcrypt}`, { kind: 'bcrypt', text: `$2b$14$${bcrypt}` }],
    [`$2y$10$${bcrypt}`, { kind: 'bcrypt', text: `$2y$10$${bcrypt}` }],
    [
      `${hex}${hex}:${hex.repeat(8)}`,
      {
        kind: 'scrypt',
        cost: 16_384,
        blockSize: 16,
        parallelization: 1,
        form: 'NFKC',
        salt: new TextEncoder().encode(hex + hex),
        key: new Uint8Array(64).map((_, at) => (at % 8) * 0x22 + 0x01),
      },
    ],
  ])('%s', (hash, expected) => {
    expect(readHash(hash)).toMatchObject(expected)
  })

  test('only better-auth’s has a form of its passwords', () => {
    expect(readHash(scrypt('ln=14,r=8,p=1'))).not.toHaveProperty('form')
  })
})

describe('a hash that is out of bounds, or in another format, is refused', () => {
  test.each([
    // The work of a Worker that a hash could ask for.
    argon('m=262145,t=2,p=1'),
    argon('m=19456,t=65,p=1'),
    argon('m=19456,t=2,p=65'),
    argon('m=511,t=1,p=64'),
    argon('m=7,t=1,p=1'),
    scrypt('ln=19,r=8,p=1'),
    scrypt('ln=18,r=9,p=1'),
    scrypt('ln=14,r=8,p=65'),
    scrypt('ln=10,r=65,p=1'),
    // 64 MiB for the cost, and 512 MiB for the lanes.
    scrypt('ln=1,r=262144,p=16'),
    pbkdf2('i=3000001'),
    pbkdf2('3000001'),
    django('3000001'),
    `$2a$15$${bcrypt}`,
    // Each within its bound, and together seconds of a processor.
    argon('m=262144,t=5,p=1'),
    argon('m=16385,t=64,p=1'),
    scrypt('ln=18,r=8,p=5'),
    scrypt('ln=15,r=8,p=64'),
    pbkdf2('i=1500001', `${salt}$${bytes(33)}`),
    pbkdf2('i=750001', `${salt}$${bytes(128)}`),
    `$pbkdf2$1500001$${salt}$${bytes(21)}`,
    `$pbkdf2-sha512$1500001$${salt}$${bytes(64)}`,
    django('1500001', `salt$${bytes(64)}`),
    `$2a$03$${bcrypt}`,
    // Too little to be a key or a salt, and too much.
    argon('m=8,t=1,p=1', `${bytes(7)}$${key}`),
    argon('m=8,t=1,p=1', `${salt}$${bytes(15)}`),
    argon('m=8,t=1,p=1', `${bytes(129)}$${key}`),
    argon('m=8,t=1,p=1', `${salt}$${bytes(129)}`),
    scrypt('ln=14,r=8,p=1', `${salt}$${bytes(15)}`),
    scrypt('ln=14,r=8,p=1', `${bytes(129)}$${key}`),
    pbkdf2('5', `${salt}$${bytes(15)}`),
    django('5', `salt$${bytes(15)}`),
    django('5', `salt$${bytes(129)}`),
    django('5', `${'k'.repeat(129)}$${key}`),
    // Zero, no number, and numbers in another spelling.
    ...['m=0,t=1,p=1', 'm=8,t=0,p=1', 'm=8,t=1,p=0', 'm=08,t=1,p=1', 'm=+8,t=1,p=1'].map((text) =>
      argon(text),
    ),
    ...['m=8,t=1', 'm=8,t=1,p=1,q=1', 't=1,m=8,p=1', 'xm=8,t=1,p=1', 'm=8 ,t=1,p=1'].map((text) =>
      argon(text),
    ),
    ...['m=1234567890,t=1,p=1', 'M=8,t=1,p=1', 'm=8x,t=1,p=1', 'm,t=1,p=1', ''].map((text) =>
      argon(text),
    ),
    ...['ln=0,r=8,p=1', 'ln=14,r=0,p=1', 'ln=14,r=8,p=0', 'ln=14,r=8', 'r=8,ln=14,p=1'].map(
      (text) => scrypt(text),
    ),
    ...['i=0', '0', '01', 'i=', 'x=5', 'i=5,l=', 'i=5,l=3x', 'xi=5,l=3', 'l=3', 'i=5,l=32,m=1'].map(
      (text) => pbkdf2(text),
    ),
    ...['0', '01', 'x', '', '1x'].map((text) => django(text)),
    // Another form of the whole.
    `!${pbkdf2('5')}`,
    `argon2id${argon('m=8,t=1,p=1')}`,
    `scrypt${scrypt('ln=14,r=8,p=1')}`,
    `2a$2a$10$${bcrypt}`,
    argon('!m=8,t=1,p=1'),
    argon('m=8,t=1,p=1', `${salt}$ ${key}`),
    pbkdf2(',l=3i=5'),
    '$pbkdf2$',
    '$pbkdf2$5',
    `$argon2id$v=18$m=8,t=1,p=1$${salt}$${key}`,
    `$argon2id$m=8,t=1,p=1$${salt}$${key}`,
    `x$argon2id$v=19$m=8,t=1,p=1$${salt}$${key}`,
    `argon2id$v=19$m=8,t=1,p=1$${salt}$${key}`,
    `${argon('m=8,t=1,p=1')}$`,
    `${argon('m=8,t=1,p=1')}$${key}`,
    argon('m=8,t=1,p=1', `$${key}`),
    argon('m=8,t=1,p=1', salt),
    argon('m=8,t=1,p=1', `${salt}$${key}!`),
    argon('m=8,t=1,p=1', `${salt}$!${key}`),
    argon('m=8,t=1,p=1', `${salt}$${key}===`),
    argon('m=8,t=1,p=1', `${salt}$=${key}`),
    argon('m=8,t=1,p=1', `${salt}AAA$${key}`),
    `scrypt$ln=14,r=8,p=1$${salt}$${key}`,
    `x${scrypt('ln=14,r=8,p=1')}`,
    `${scrypt('ln=14,r=8,p=1')}$${key}`,
    scrypt('ln=14,r=8,p=1', `$${key}`),
    `${pbkdf2('5')}$`,
    `${pbkdf2('5')}$x`,
    pbkdf2('5', salt),
    pbkdf2('5', `$${key}`),
    `x${pbkdf2('5')}`,
    `x${django('5')}`,
    `$${django('5')}`,
    `${django('5')}$x`,
    django('5', `$${key}`),
    django('5', 'salt'),
    django('5', 'salt$'),
    `x$2a$10$${bcrypt}`,
    `2a$10$${bcrypt}`,
    `$2a$10$${bcrypt}x`,
    `$2a$10$${bcrypt.slice(1)}`,
    `$2a$1$${bcrypt}`,
    `$2a$010$${bcrypt}`,
    `$2a$10$${bcrypt.slice(1)}+`,
    `$2c$10$${bcrypt}`,
    `${hex}${hex}:${hex.repeat(8)}0`,
    `0${hex}${hex}:${hex.repeat(8)}`,
    `${hex}${hex}:${hex.repeat(7)}`,
    `${hex}${hex}${hex.repeat(8)}`,
    `${hex}${hex}:${hex.repeat(8).toUpperCase()}`,
    `${hex.slice(1)}${hex}:${hex.repeat(8)}`,
    `$scrypt$${hex}${hex}:${hex.repeat(8)}`,
    `$unknown$${hex}${hex}:${hex.repeat(8)}`,
    '',
    '$',
    '$$',
    ':',
  ])('%j', (hash) => {
    expect(readHash(hash)).toBeUndefined()
  })

  test('more than 512 characters are not looked at', () => {
    const padded = (length: number) => {
      const bare = `$pbkdf2$i=5,l=$${bytes(128)}$${bytes(128)}`
      return bare.replace('l=', `l=${'0'.repeat(length - bare.length)}`)
    }
    expect(readHash(padded(512))).toBeDefined()
    expect(readHash(padded(513))).toBeUndefined()
  })
})
