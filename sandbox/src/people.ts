import type { UserField } from './scopes.js'

type OwnField = Exclude<UserField, 'open_id' | 'union_id' | 'display_name'>

/** A person's profile, under the field names of the API. Absent fields are not delivered. */
export type PersonProfile = { readonly display_name: string } & {
  readonly [field in OwnField]?: string | number | boolean
}

/** A person that can sign in at the sandbox. */
export interface Person {
  /** Stable, unique; `open_id` and `union_id` are derived from it. */
  readonly id: string
  readonly profile: PersonProfile
}

const avatars = (id: string) => ({
  avatar_url: `https://sandbox.example/avatars/${id}.png`,
  avatar_url_100: `https://sandbox.example/avatars/${id}-100.png`,
  avatar_large_url: `https://sandbox.example/avatars/${id}-large.png`,
})

/**
 * The person without pictures: the service takes https addresses alone, and a server on one's own
 * machine has none.
 */
export const withoutPictures = ({ id, profile }: Person): Person => {
  const { avatar_url, avatar_url_100, avatar_large_url, ...rest } = profile
  return { id, profile: rest }
}

const stats = (followers: number, following: number, likes: number, videos: number) => ({
  follower_count: followers,
  following_count: following,
  likes_count: likes,
  video_count: videos,
})

/** The people of the default sandbox; several have names that a careless client handles wrongly. */
export const testPeople: readonly Person[] = [
  {
    id: 'ada',
    profile: {
      display_name: 'Ada Example',
      ...avatars('ada'),
      username: 'ada.films',
      bio_description: 'Short films about long sums',
      profile_deep_link: 'https://sandbox.example/@ada.films',
      is_verified: true,
      ...stats(1843, 12, 40960, 64),
    },
  },
  {
    id: 'grace',
    profile: {
      display_name: 'Grace Sample',
      ...avatars('grace'),
      username: 'grace_cuts',
      bio_description: '',
      profile_deep_link: 'https://sandbox.example/@grace_cuts',
      is_verified: false,
      ...stats(0, 0, 0, 0),
    },
  },
  {
    // A user name that looks like another person's mailbox; it must never be taken for one.
    id: 'vic',
    profile: {
      display_name: 'Vic Placeholder',
      ...avatars('vic'),
      username: 'victim@example.com',
      bio_description: 'My user name is not my mailbox',
      profile_deep_link: 'https://sandbox.example/@victim%40example.com',
      is_verified: false,
      ...stats(7, 1, 2, 1),
    },
  },
  {
    id: 'zoe',
    profile: {
      display_name: 'Zoë 🌈 李明',
      ...avatars('zoe'),
      username: 'zoe.lights',
      bio_description: '光と影 ✨\nzwei Zeilen',
      profile_deep_link: 'https://sandbox.example/@zoe.lights',
      is_verified: true,
      ...stats(9_007_199_254, 3, 12, 5),
    },
  },
  {
    // A display name that is markup unless the page that shows it escapes it.
    id: 'tess',
    profile: {
      display_name: 'Tess <b>Bold</b> & "Co"',
      ...avatars('tess'),
      username: 'tess.tags',
      is_verified: false,
      ...stats(1, 1, 1, 1),
    },
  },
  { id: 'nemo', profile: { display_name: 'Nemo' } },
]
