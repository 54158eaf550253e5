import { Name } from './name'

/** It has `useSession`, and nothing else of ours. */
export default function Alone() {
  return <Name />
}
