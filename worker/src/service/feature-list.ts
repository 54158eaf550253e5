import { isRecord } from '@latchkey/session/internal'
import { InvalidConfiguration } from '../errors.js'
import type { Feature, Pages } from './feature.js'
import { featureOf } from './operations.js'
import { CORE_ROUTES } from './routes.js'

/**
 * A list of features, with those that each needs before it: the same array for the same features.
 *
 * @param value as the configuration has them
 * @throws {InvalidConfiguration} one is not a feature, or two have something under the same name
 */
export function withNeeds(builtIn: readonly Feature[], value: unknown = []): readonly Feature[] {
  if (!Array.isArray(value) || !value.every(isFeature)) {
    throw new InvalidConfiguration(
      'features is an array of what @latchkey/worker/features/… exports.',
    )
  }
  const listed = [...builtIn, ...value]
  const entry = lists.find((one) => isSame(one.listed, listed))
  if (entry) return entry.all
  const all = completed(listed)
  if (lists.length >= MAX_LISTS) lists.shift()
  lists.push({ listed, all })
  return all
}

/**
 * Lists that were looked at. A configuration that is made for each request may have a new array each time: the router and
 * the texts of a list are kept by the one array that is made of it.
 */
const lists: { readonly listed: readonly Feature[]; readonly all: readonly Feature[] }[] = []

/** More lists are not remembered. */
const MAX_LISTS = 8

function isSame(one: readonly Feature[], other: readonly Feature[]): boolean {
  return one.length === other.length && one.every((feature, at) => feature === other[at])
}

/** @throws {InvalidConfiguration} */
function completed(listed: readonly Feature[]): readonly Feature[] {
  checkOnce(listed.map(({ name }) => `feature "${name}"`))
  const all: Feature[] = []
  const seen = new Set<Feature>()
  const add = (feature: Feature) => {
    if (seen.has(feature)) return
    seen.add(feature)
    for (const needed of feature.needs ?? []) add(needed)
    all.push(feature)
  }
  for (const feature of listed) add(feature)
  checkOnce(all.flatMap(namesIn))
  checkPaths(all)
  for (const { name, operator } of all) {
    // A method must be in a manifest: any other one could take the place of a method of the service.
    const wrong = Object.keys(operator?.operations ?? {}).find((one) => featureOf(one) !== name)
    if (wrong === undefined) continue
    throw new InvalidConfiguration(`The feature "${name}" cannot have a method "${wrong}".`)
  }
  return all
}

/** The names that a feature uses. If two had the same one, only the first would ever be asked. */
function namesIn(feature: Feature): string[] {
  const { name, signIn, pages = {}, operator } = feature
  const named = (what: string, all: object = {}) =>
    Object.keys(all).map((one) => `${what} "${one}"`)
  return [
    `feature "${name}"`,
    ...named('type', signIn?.kinds),
    ...named('path', pages.routes),
    ...sectionsIn(pages).map((path) => `path "${path}"`),
    ...named('path', pages.wellKnown),
    ...named('path', pages.below),
    ...named('method', operator?.operations),
  ]
}

/** @throws {InvalidConfiguration} */
function checkOnce(names: readonly string[]): void {
  const known = new Set<string>()
  for (const name of names) {
    if (known.has(name)) throw new InvalidConfiguration(`The ${name} stands twice in features.`)
    known.add(name)
  }
}

/** A path that a request can have: no route has any other. */
const PATH = /^(?:\/[A-Za-z0-9._~-]+)+(?:\/:provider)?$/

/**
 * Only the first route that matches a path is asked: the routes of the core come first, then the routes of the features in their
 * order. `/:provider` matches any last segment.
 *
 * @throws {InvalidConfiguration} a route would never be asked
 */
function checkPaths(all: readonly Feature[]): void {
  const taken = new Map(Object.keys(CORE_ROUTES).map((path) => [path, 'every service']))
  for (const { name, pages = {} } of all) {
    const own = Object.keys(pages.routes ?? {})
    // The section of an account page is asked behind the route of the feature `account`.
    for (const path of [...own, ...sectionsIn(pages)]) {
      if (PATH.test(path)) continue
      throw new InvalidConfiguration(`The feature "${name}" cannot have the path "${path}".`)
    }
    for (const path of own) {
      const first = [path, path.replace(/[^/]*$/, ':provider')].find((one) => taken.has(one))
      if (first === undefined) {
        taken.set(path, `the feature "${name}"`)
        continue
      }
      throw new InvalidConfiguration(
        `The path "${path}" of the feature "${name}" is never asked, since "${first}" of ${taken.get(first)} is.`,
      )
    }
  }
}

/** The paths of the sections that a feature has on the account page. */
function sectionsIn({ account = [] }: Pages): string[] {
  return [account].flat().map(({ name }) => `/account/${name}`)
}

function isFeature(value: unknown): value is Feature {
  return isRecord(value) && typeof value.name === 'string' && /^[a-z][a-z-]*$/.test(value.name)
}
