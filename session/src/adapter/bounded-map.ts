/** A map that is emptied when it is full: what a client can make up must not fill the memory. */
export class BoundedMap<Value> {
  readonly #size: number
  readonly #entries = new Map<string, Value>()

  constructor(size: number) {
    this.#size = size
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)
  }

  set(key: string, value: Value): Value {
    if (this.#entries.size >= this.#size) this.#entries.clear()
    this.#entries.set(key, value)
    return value
  }
}
