import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { inject } from 'vitest'

/**
 * A folder that several files need, and that the first of them makes: files run beside each other.
 *
 * @throws {Error} in every file, if the first could not make it
 */
export async function madeOnce(
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(inject('runFolder'), name)
  const outcome = `${folder}.txt`
  try {
    mkdirSync(folder)
  } catch {
    while (!existsSync(outcome)) await setTimeout(100)
    const failure = readFileSync(outcome, 'utf8')
    if (failure !== '') throw new Error(failure)
    return folder
  }
  let failure = ''
  try {
    await make(folder)
  } catch (error) {
    failure = String(error)
    throw error
  } finally {
    writeFileSync(outcome, failure, { flush: true })
  }
  return folder
}
