import { createClient } from '@latchkey/client'

const client = createClient()
client.subscribe(() => {
  const { data, status } = client.get()
  console.log(status === 'authenticated' ? `Hello ${data.user?.name}` : status)
})
