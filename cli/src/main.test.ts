import { describe, expect, test } from 'vitest'
import { answer } from './answer.js'
import { type Command, Failed, WrongUse } from './command.js'
import { main } from './main.js'
import { terminalOf } from './test-support/terminal.js'

const greet: Command = {
  help: 'Greets a person.\n',
  async run([name], terminal) {
    if (name === undefined) throw new WrongUse('Name a person.')
    if (name === 'Nobody') throw new Failed('Unknown', 'There is nobody.')
    answer(terminal, { greeted: name }, () => `Hello ${name}\n`)
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

test('no command at all is wrong use', async () => {
  const terminal = terminalOf()
  expect(await main([], terminal, commands)).toBe(2)
  expect(terminal.printed()).toBe('')
  expect(terminal.noted()).toBe('Name a command.\n\nlatchkey --help shows its usage.\n')
})

test.each(['--help', '-h'])(
  '%s after a command shows its own help and runs nothing',
  async (word) => {
    const terminal = terminalOf()
    expect(await main(['greet', word], terminal, commands)).toBe(0)
    expect(terminal.printed()).toBe('Greets a person.\n')
  },
)

test('help with the name of a command shows its own help, and refuses an unknown name', async () => {
  const terminal = terminalOf()
  expect(await main(['help', 'greet'], terminal, commands)).toBe(0)
  expect(terminal.printed()).toBe('Greets a person.\n')
  const refused = terminalOf()
  expect(await main(['help', 'gret'], refused, commands)).toBe(2)
  expect(refused.noted()).toContain('There is no command "gret".')
})

test('wrong use ends with 2, on standard error, and says where help is', async () => {
  const terminal = terminalOf()
  expect(await main(['greet'], terminal, commands)).toBe(2)
  expect(terminal.printed()).toBe('')
  expect(terminal.noted()).toBe('Name a person.\n\nlatchkey greet --help shows its usage.\n')
})

test('a failure ends with 1, on standard error', async () => {
  const terminal = terminalOf()
  expect(await main(['greet', 'Nobody'], terminal, commands)).toBe(1)
  expect(terminal.printed()).toBe('')
  expect(terminal.noted()).toBe('There is nobody.\n')
})

test.each(['constructor', 'gret', ''])('%j is not a command', async (name) => {
  const terminal = terminalOf()
  expect(await main([name], terminal, commands)).toBe(2)
  expect(terminal.noted()).toContain(`There is no command ${JSON.stringify(name)}.`)
})

test('a name that is not a command cannot write to the terminal', async () => {
  const terminal = terminalOf()
  expect(await main(['\u001b[2J\u202e\n'], terminal, commands)).toBe(2)
  expect(terminal.noted()).toContain('There is no command "\ufffd[2J\ufffd ".')
})

test('a fault of a command ends with 1, and shows the stack', async () => {
  const run = async () => {
    throw new TypeError('broken \u001b[2J')
  }
  const entry = { summary: '', load: async () => ({ ...greet, run }) }
  const terminal = terminalOf()
  expect(await main(['greet'], terminal, { greet: entry })).toBe(1)
  expect(terminal.noted()).toMatch(/^TypeError: broken \ufffd\[2J\n {4}at /)
  const forPrograms = terminalOf()
  expect(await main(['greet', '--json'], forPrograms, { greet: entry })).toBe(1)
  expect(JSON.parse(forPrograms.printed())).toEqual({
    error: 'Fault',
    message: 'broken \ufffd[2J',
  })
})

describe('with --json standard output is one document', () => {
  test.each<[args: string[], code: number, document: unknown]>([
    [['greet', 'Ada', '--json'], 0, { greeted: 'Ada' }],
    [['--json', 'greet', 'Ada'], 0, { greeted: 'Ada' }],
    [['greet', '--json', 'Nobody'], 1, { error: 'Unknown', message: 'There is nobody.' }],
    [['greet', '--json'], 2, { error: 'WrongUse', message: 'Name a person.' }],
    [['gret', '--json'], 2, { error: 'WrongUse', message: 'There is no command "gret".' }],
    [['--json'], 2, { error: 'WrongUse', message: 'Name a command.' }],
    [['greet', '--help', '--json'], 0, { help: 'Greets a person.\n' }],
  ])('%j ends with %i', async (args, code, document) => {
    const terminal = terminalOf()
    expect(await main(args, terminal, commands)).toBe(code)
    expect(JSON.parse(terminal.printed())).toEqual(document)
    expect(terminal.noted()).toBe('')
  })

  test('after -- it is a value', async () => {
    const terminal = terminalOf()
    await main(['greet', '--', '--json'], terminal, commands)
    expect(terminal.printed()).toBe('Hello --\n')
  })
})
