import { after } from 'next/server'
import { auth } from '../../auth'

export async function generateMetadata() {
  return { title: `Title of ${(await auth())?.user?.name ?? 'nobody'}` }
}

/** A session that is asked for and not awaited harms nobody. */
export default async function Places() {
  void auth()
  const [one, other] = await Promise.all([auth(), auth()])
  after(async () => {
    const outcome = await auth().then(
      (session) => session?.user?.name ?? 'nobody',
      (error: Error) => error.message.split('\n')[0],
    )
    console.log(`after: ${outcome}`)
  })
  return (
    <p id="page">
      {one?.user?.name ?? 'nobody'} {one === other ? 'once' : 'twice'}
    </p>
  )
}
