import { expect } from 'vitest'
import { type Browser, claimsIn, errorOf } from './browser.js'
import type { Isolate } from './isolates.js'

/** A provider's id, and an account there. */
export type Account = readonly [provider: string, account: string]

/** The id of a way in a person's list; empty if they are signed out, or have no such way. */
export async function idOf(
  world: Isolate,
  one: Browser,
  [provider, account]: Account,
): Promise<string> {
  const name = `${account} at ${provider}`
  const ways: Awaited<ReturnType<Isolate['ways']>> | undefined = await world.ways(one)
  return ways?.find((way) => way.name === name)?.id ?? ''
}

/**
 * A browser that has signed in; `undefined`: the way does not sign in, or its person has a factor.
 */
export async function signedIn(world: Isolate, account: Account): Promise<Browser | undefined> {
  const one = await world.signIn(...account)
  return one.jar.has('auth.session-token') ? one : undefined
}

/**
 * Each way signs in a person who sees it, and who may add a further way, by which they are signed in as well.
 *
 * @param pass moves the clock on, by seconds
 */
export async function expectSound(
  world: Isolate,
  accounts: readonly Account[],
  pass: (seconds: number) => void,
): Promise<void> {
  let count = 0
  for (const account of accounts) {
    pass(2)
    const one = await signedIn(world, account)
    if (!one) continue
    const { sub } = claimsIn(one)
    const own = (await world.ways(one)).filter(({ current }) => current)
    expect([account, own.length]).toEqual([account, 1])
    const further = ['two', `later-${++count}`] as const
    expect([account, errorOf(await world.add(one, ...further))]).toEqual([account, '/inbox'])
    pass(2)
    const other = await signedIn(world, further)
    if (other) expect(claimsIn(other).sub).toBe(sub)
  }
}
