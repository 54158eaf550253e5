import { expect, test } from 'vitest'
import { type Command, type Terminal, WrongUse } from './command.js'
import { main } from './main.js'

function terminalOf(): Terminal & { readonly printed: () => string; readonly noted: () => string } {
  let printed = ''
  let noted = ''
  return {
    print: (text) => {
      printed += text
    },
    note: (text) => {
      noted += text
    },
    isWatched: false,
    env: {},
    directory: '/',
    printed: () => printed,
    noted: () => noted,
  }
}

const greet: Command = {
  help: 'Greets a person.\n',
  async run([name], terminal) {
    if (name === undefined) throw new WrongUse('Name a person.')
    terminal.print(`Hello ${name}\n`)
    return 0
  },
}
const commands = { greet: { summary: 'greets a person', load: async () => greet } }

test('a command gets the arguments after its name', async () => {
  const terminal = terminalOf()
  expect(await main(['greet', 'Ada'], terminal, commands)).toBe(0)
  expect(terminal.printed()).toBe('Hello Ada\n')
})

test.each([['--help'], ['-h'], ['help']])('%s lists the commands', async (word) => {
  const terminal = terminalOf()
  expect(await main([word], terminal, commands)).toBe(0)
  expect(terminal.printed()).toContain('  greet  greets a person\n')
})

test('no command at all is wrong use, and shows the list', async () => {
  const terminal = terminalOf()
  expect(await main([], terminal, commands)).toBe(2)
  expect(terminal.printed()).toContain('greet')
})

test.each(['--help', '-h'])(
  '%s after a command shows its own help and runs nothing',
  async (word) => {
    const terminal = terminalOf()
    expect(await main(['greet', word], terminal, commands)).toBe(0)
    expect(terminal.printed()).toBe('Greets a person.\n')
  },
)

test('wrong use ends with 2, on standard error, and says where help is', async () => {
  const terminal = terminalOf()
  expect(await main(['greet'], terminal, commands)).toBe(2)
  expect(terminal.printed()).toBe('')
  expect(terminal.noted()).toBe('Name a person.\n\nlatchkey greet --help shows its usage.\n')
})

test.each(['constructor', 'gret', ''])('%j is not a command', async (name) => {
  const terminal = terminalOf()
  expect(await main([name], terminal, commands)).toBe(2)
  expect(terminal.noted()).toContain(`There is no command ${JSON.stringify(name)}.`)
})

test('a fault of a command is not wrong use', async () => {
  const broken = {
    ...greet,
    run: async () => {
      throw new Error('broken')
    },
  }
  const entry = { summary: '', load: async () => broken }
  await expect(main(['greet'], terminalOf(), { greet: entry })).rejects.toThrow('broken')
})
