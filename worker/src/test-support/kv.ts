/** How long a location caches a key, and a listing is out of date. Seconds. */
const KV_DELAY = 60

interface Stored {
  readonly value: string | null
  readonly at: number
  readonly expires: number
}

/**
 * A KV namespace as it is in production, by the clock of `Date`: each location caches a value for a
 * minute, also an absent one; listings are a minute late; a key takes one write in a second.
 */
export class FakeKv {
  /** Calls, oldest first, such as `put session:a:b`. */
  readonly calls: string[] = []
  /** Called before each call of a method: the call waits for it, and fails with its error. */
  readonly before = new Map<string, () => Promise<unknown>>()
  /** The value of a key at every location, instead of the stored one. */
  readonly damaged = new Map<string, string>()
  /** How far its clock is ahead of the isolates'. Seconds. */
  skew = 0
  readonly #versions = new Map<string, Stored[]>()
  readonly #seen = new Map<string, Stored>()

  /** The binding of a Worker at a location. */
  at(location: string): KVNamespace {
    const binding = {
      get: (key: string, type: string) =>
        this.#call('get', key, () => {
          const value = this.damaged.get(key) ?? this.#look(location, key)
          return value === null || type !== 'json' ? value : JSON.parse(value)
        }),
      put: (key: string, value: string, { expirationTtl = 0 } = {}) =>
        this.#call('put', key, () => this.#write(location, key, value, expirationTtl)),
      delete: (key: string) => this.#call('delete', key, () => this.#write(location, key, null, 0)),
      list: ({ prefix = '', limit = 1000, cursor = '' } = {}) =>
        this.#call('list', prefix, () => {
          const rest = this.#list(prefix).filter(({ name }) => name > cursor)
          const keys = rest.slice(0, limit)
          return { keys, list_complete: keys.length === rest.length, cursor: keys.at(-1)?.name }
        }),
    }
    return binding as unknown as KVNamespace
  }

  /** The stored value of a key, whether or not a location shows it. */
  value(key: string): string | null {
    return this.#current(this.#versions.get(key)?.at(-1))
  }

  get keys(): string[] {
    return [...this.#versions.keys()].filter((key) => this.value(key) !== null)
  }

  count(method: string): number {
    return this.calls.filter((call) => call.startsWith(`${method} `)).length
  }

  async #call<Result>(method: string, key: string, run: () => Result): Promise<Result> {
    this.calls.push(`${method} ${key}`)
    await this.before.get(method)?.()
    return run()
  }

  #look(location: string, key: string): string | null {
    const place = `${location} ${key}`
    const seen = this.#seen.get(place)
    if (seen && this.#now - seen.at < KV_DELAY) return this.#current(seen)
    const stored = this.#versions.get(key)?.at(-1) ?? { value: null, at: 0, expires: 0 }
    this.#seen.set(place, { ...stored, at: this.#now })
    return this.#current(stored)
  }

  #write(location: string, key: string, value: string | null, ttl: number): void {
    const before = this.#versions.get(key) ?? []
    if (this.#now - (before.at(-1)?.at ?? 0) < 1) throw new Error('KV PUT failed: 429')
    if (value !== null && ttl < 60) throw new Error('KV PUT failed: 400 Invalid expiration_ttl')
    const stored = { value, at: this.#now, expires: this.#now + ttl }
    this.#versions.set(key, [...before, stored])
    this.#seen.set(`${location} ${key}`, stored)
  }

  #list(prefix: string): { name: string }[] {
    const names = [...this.#versions].flatMap(([name, versions]) => {
      const version = versions.findLast(({ at }) => this.#now - at >= KV_DELAY)
      return name.startsWith(prefix) && this.#current(version) !== null ? name : []
    })
    return names.sort().map((name) => ({ name }))
  }

  #current(stored: Stored | undefined): string | null {
    return stored && stored.expires > this.#now ? stored.value : null
  }

  get #now(): number {
    return Date.now() / 1000 + this.skew
  }
}
