import { createClient } from '@latchkey/client'

const client = createClient()

export const session = {
  subscribe(run: (value: ReturnType<typeof client.get>) => void) {
    run(client.get())
    return client.subscribe(() => run(client.get()))
  },
}
