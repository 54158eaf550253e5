import { createHmac } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** An authenticator app, of another make than the code that it tests. */
export class AuthenticatorApp {
  readonly #key: Buffer

  /** @param key in base32, as a page shows it */
  constructor(key: string) {
    const bits = [...key.replaceAll(' ', '')]
      .map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0'))
      .join('')
    this.#key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  }

  /** The code that it shows. @param steps later, or earlier */
  code(steps = 0, now = Date.now()): string {
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(BigInt(Math.floor(now / 30_000) + steps))
    const mac = createHmac('sha1', this.#key).update(counter).digest()
    const offset = (mac.at(-1) as number) & 15
    return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
  }
}

/** The key on a page that sets a second factor up. */
export function keyOn(page: string): string {
  return /<code class="key">([A-Z2-7 ]+)<\/code>/.exec(page)?.[1] ?? ''
}

/** The recovery codes on a page. */
export function recoveryCodesOn(page: string): string[] {
  return [...page.matchAll(/<li><code>([^<]+)<\/code><\/li>/g)].map(([, code]) => code as string)
}

/** A hidden field on a page. */
export function fieldOn(page: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
}
