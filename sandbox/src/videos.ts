import { derivedId } from './digest.js'

/** A video that an app has posted in a person's name. */
interface Video {
  readonly id: string
  readonly title: string
  /** Seconds since the epoch. */
  readonly create_time: number
}

/** Only so many are kept of a person, so that a long-running sandbox does not grow without end. */
const maximumVideos = 20

export type Videos = ReturnType<typeof createVideos>

/** The videos of each person, newest first, in memory. */
export const createVideos = (now: () => number) => {
  const videos = new Map<string, readonly Video[]>()
  let serial = 0
  return {
    async add(personId: string, title: string): Promise<Video> {
      serial += 1
      const id = await derivedId('video', personId, String(serial))
      const added = { id, title, create_time: Math.floor(now() / 1000) }
      videos.set(personId, [added, ...(videos.get(personId) ?? [])].slice(0, maximumVideos))
      return added
    },
    of: (personId: string): readonly Video[] => videos.get(personId) ?? [],
  }
}
