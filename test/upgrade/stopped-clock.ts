/**
 * Imported before everything else in the Worker under test: from then on its clock stands at the
 * time that the last request set. Objects of the same Worker are in the same isolate and see the
 * same.
 */
let now = Date.now()

/** @param time milliseconds since the epoch */
export function setClock(time: number): void {
  now = time
}

globalThis.Date = new Proxy(Date, {
  construct: (target, args) => Reflect.construct(target, args.length > 0 ? args : [now]),
  get: (target, name) => (name === 'now' ? () => now : Reflect.get(target, name)),
})
