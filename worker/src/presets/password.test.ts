import { expect, it } from 'vitest'
import { InvalidConfiguration } from '../errors.js'
import { passwordIn } from './password.js'

it('is on with AUTH_PASSWORD=true, with the options of the other variables', () => {
  expect(passwordIn({})).toEqual([])
  expect(passwordIn({ AUTH_PASSWORD_MIN_LENGTH: '8' })).toEqual([])
  const env = {
    AUTH_PASSWORD: 'true',
    AUTH_PASSWORD_MIN_LENGTH: '8',
    AUTH_PASSWORD_BREACHED: 'true',
  }
  expect(passwordIn(env)).toMatchObject([{ id: 'password', minLength: 8, breached: true }])
})

it.each([
  ['AUTH_PASSWORD', 'yes'],
  ['AUTH_PASSWORD', 'false'],
  ['AUTH_PASSWORD_BREACHED', '1'],
  ['AUTH_PASSWORD_MIN_LENGTH', '7'],
  ['AUTH_PASSWORD_MIN_LENGTH', '65'],
  ['AUTH_PASSWORD_MIN_LENGTH', '8.5'],
])('refuses %s=%s, naming the variable', (name, value) => {
  const read = () => passwordIn({ AUTH_PASSWORD: 'true', [name]: value })
  expect(read).toThrow(InvalidConfiguration)
  expect(read).toThrow(name)
})
