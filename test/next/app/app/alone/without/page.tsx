import { Name } from './name'

/** The same page, with a hook of React's own. */
export default function Without() {
  return <Name />
}
