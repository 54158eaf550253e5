export const load = () => ({ word: 'swordfish' })

export const actions = {
  add: () => ({ done: 'swordfish' }),
}
