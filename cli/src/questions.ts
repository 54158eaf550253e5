import type { Readable, Writable } from 'node:stream'
import { type Choice, Failed, type Questions } from './command.js'

/**
 * Questions by `@clack/prompts`, which is loaded with the first one.
 *
 * @param output standard error: standard output has the answer of the command alone
 */
export function questions(input: Readable, output: Writable): Questions {
  const prompts = () => import('@clack/prompts')
  const streams = { input, output }
  return {
    async confirm(message) {
      const { confirm, isCancel } = await prompts()
      const said = await confirm({ message, initialValue: false, ...streams })
      return isCancel(said) ? stopped() : said
    },
    async choose(message, choices) {
      const { select, isCancel } = await prompts()
      const said = await select<string>({ message, options: optionsOf(choices), ...streams })
      return isCancel(said) ? stopped() : (said as (typeof choices)[number]['value'])
    },
    async chooseSeveral(message, choices) {
      const { multiselect, isCancel } = await prompts()
      const said = await multiselect<string>({
        message,
        options: optionsOf(choices),
        required: true,
        ...streams,
      })
      return isCancel(said) ? stopped() : (said as (typeof choices)[number]['value'][])
    },
  }
}

function optionsOf(choices: readonly Choice<string>[]): Choice<string>[] {
  return [...choices]
}

function stopped(): never {
  throw new Failed('Stopped', 'Stopped: nothing was changed.')
}
