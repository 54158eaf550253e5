import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { main } from './main.js'
import { terminalOf } from './test-support/terminal.js'

/** The pages that a person on duty reads, whose commands have to be right at 3 a.m. */
const docs = new URL('../../docs/', import.meta.url)
const pages = globSync('{errors,audit,webhooks,operate*}.md', { cwd: docs })

/** Each command on a page: those of code on lines of their own, and those in a sentence. */
function commandsOn(page: string): string[] {
  const text = readFileSync(new URL(page, docs), 'utf8')
  const found = [...text.matchAll(/(?<=`|^ *|npx )latchkey ([a-z]+[^`\n|#]*)/gm)]
  return found.map(([, command = '']) => command.trim())
}

async function helpOf(command: string): Promise<string> {
  const terminal = terminalOf()
  const code = await main([command, '--help'], terminal)
  return code === 0 ? terminal.printed() : ''
}

test.each(pages)('each command on docs/%s is one that there is, with its options', async (page) => {
  const wrong: string[] = []
  for (const command of commandsOn(page)) {
    const [name = '', ...rest] = command.split(/\s+/)
    const help = await helpOf(name)
    const words = rest.filter((word, at) => at < 2 && /^[a-z]+(?:-[a-z]+)*$/.test(word))
    const options = rest.filter((word) => /^--[a-z]/.test(word) && word !== '--help')
    const isKnown = (word: string) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(help)
    const isOwnWord = ['explain', 'init', 'secret'].includes(name)
    if (![...(isOwnWord ? [] : words), ...options].every(isKnown) || help === '')
      wrong.push(command)
  }
  expect(wrong).toEqual([])
})

test('commands are found on the pages', () => {
  const commands = pages.flatMap(commandsOn)
  expect(commands).toContain('person <sub> unblock')
  expect(commands).toContain('audit --sub <sub>')
  expect(commands.length).toBeGreaterThan(50)
})
