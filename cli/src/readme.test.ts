import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMANDS, main, OF_MIGRATE } from './main.js'
import { terminalOf } from './test-support/terminal.js'

const moving = Object.keys(OF_MIGRATE).toReversed()
const others = Object.keys(COMMANDS).filter((name) => !moving.includes(name))

async function helpOf(...name: readonly string[]): Promise<string> {
  const terminal = terminalOf()
  expect(await main([...name, '--help'], terminal)).toBe(0)
  return terminal.printed()
}

/** The README with the help of these commands, each in the first block below its heading. */
async function withHelp(readme: string, commands: readonly string[]): Promise<string> {
  let text = readme
  for (const name of commands) {
    const heading = `## \`latchkey ${name}\`\n`
    if (!text.includes(heading)) text += `\n${heading}\n\`\`\`text\n\`\`\`\n`
    const [before = '', after = ''] = text.split(heading)
    const help = await helpOf(name)
    const block = `\`\`\`text\n${help.trimEnd()}\n\`\`\`\n`
    text = before + heading + after.replace(/^```text\n[\s\S]*?^```\n/m, () => block)
  }
  return text
}

// After a change of a help text, `vitest -u` with this file writes it into the README.
test.each([
  ['cli', others],
  ['migrate', moving],
])(
  'the README of %s has the help of each of its commands, word for word',
  async (room, commands) => {
    const path = join(import.meta.dirname, `../../${room}/README.md`)
    await expect(await withHelp(readFileSync(path, 'utf8'), commands)).toMatchFileSnapshot(path)
  },
)

test.each([[], ...Object.keys(COMMANDS).map((name) => [name])])(
  'the help of %s fits into 80 columns, and names the exit codes',
  async (...name) => {
    const help = await helpOf(...name)
    expect(help.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(help).toMatch(/^.*[Ee]xit code: 0/m)
    expect(help).toContain('--json')
    if (name.length > 0) expect(help).toMatch(new RegExp(`^Usage: latchkey ${name}\\b`, 'm'))
  },
)
