import { bindingOf } from '@latchkey/host/shared'
import { InvalidConfiguration } from '../errors.js'
import type { AuthBindings } from '../ledger.js'
import type { AuthConfig, Environment } from '../types.js'
import { distinct, type Layout, type Place, placesOf } from './ledger/placement.js'
import { type Jurisdiction, ledgerJurisdiction } from './ledger-jurisdiction.js'
import { ledgerShards } from './ledger-shards.js'
import { objectAt } from './object-at.js'
import type { Stores } from './ports.js'

type Namespace = AuthBindings['LEDGER']

/** The Durable Objects of the ledger, as the bindings and the configuration name them. */
export interface LedgerObjects {
  readonly namespace: Namespace
  /** As `AUTH_LEDGER_SHARDS` lists them, the newest last. */
  readonly layouts: readonly Layout[]
  /** Sees to it that no rows stay behind outside of the jurisdiction. Absent: there is none. */
  readonly claim?: NonNullable<Stores['claim']>
}

/** @returns `undefined` without the binding @throws {InvalidConfiguration} */
export function ledgerObjects(config: AuthConfig, env: Environment): LedgerObjects | undefined {
  const outside = bindingOf<Namespace>(env, 'LEDGER', 'idFromName')
  if (!outside) return undefined
  const layouts = ledgerShards(config, env)
  const jurisdiction = ledgerJurisdiction(config, env)
  if (jurisdiction === undefined) return { namespace: outside, layouts }
  const namespace = within(outside, jurisdiction)
  return { namespace, layouts, claim: () => moveOut(outside, jurisdiction, layouts) }
}

/** The parts of each namespace, made once: other caches use them as keys. */
const parts = new WeakMap<Namespace, Map<Jurisdiction, Namespace>>()

function within(outside: Namespace, jurisdiction: Jurisdiction): Namespace {
  const made = parts.get(outside) ?? new Map<Jurisdiction, Namespace>()
  parts.set(outside, made)
  const part = made.get(jurisdiction) ?? partOf(outside, jurisdiction)
  made.set(jurisdiction, part)
  return part
}

/** Nothing is kept elsewhere because a runtime does not know jurisdictions. */
function partOf(outside: Namespace, jurisdiction: Jurisdiction): Namespace {
  try {
    return outside.jurisdiction(jurisdiction)
  } catch {
    throw new InvalidConfiguration(
      'This runtime has no jurisdictions. On your machine, set AUTH_LEDGER_JURISDICTION= in .dev.vars.',
    )
  }
}

/** Namespaces whose objects are known to have been left, and for which numbers of objects. */
const left = new WeakMap<Namespace, Set<string>>()

/**
 * The same name is another object in a jurisdiction. If rows stayed behind, ended sessions and blocked people would be
 * back, and second factors gone. So each object outside has to be empty, and is marked: it answers nothing from then on,
 * to a version without the jurisdiction neither.
 *
 * @throws {InvalidConfiguration} one has rows, or belongs to another jurisdiction. Then nothing is marked
 */
async function moveOut(
  outside: Namespace,
  jurisdiction: Jurisdiction,
  listed: readonly Layout[],
): Promise<readonly never[]> {
  // A service without settings has one object.
  const layouts = [{ count: 1, regions: [] }, ...listed]
  const known = left.get(outside) ?? new Set()
  const name = jurisdiction + JSON.stringify(layouts)
  if (known.has(name)) return []
  const ask = async (places: readonly Place[], isLeft?: boolean) => {
    const answers = await Promise.all(
      places.map((place) => objectAt(outside, place).leaveFor(jurisdiction, isLeft)),
    )
    if (answers.includes('used')) {
      throw new InvalidConfiguration(
        `AUTH_LEDGER_JURISDICTION=${jurisdiction}, but the ledger has rows elsewhere, which would not count any more: docs/data-residency.md.`,
      )
    }
    return answers.every((answer) => answer === 'left')
  }
  // The first object of each number is marked last.
  const firsts = distinct(layouts.flatMap((layout) => placesOf(layout).slice(0, 1)))
  if (!(await ask(firsts))) {
    const all = distinct(layouts.flatMap(placesOf))
    await ask(all)
    try {
      const rest = all.filter(({ name }) => firsts.every((first) => first.name !== name))
      for (const places of [rest, firsts]) await ask(places, true)
    } catch (error) {
      // A service without the jurisdiction has written meanwhile: it goes on.
      await ask(all, false).catch(() => {})
      throw error
    }
  }
  left.set(outside, known.add(name))
  return []
}
