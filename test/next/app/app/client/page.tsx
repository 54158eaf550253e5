import { Tab } from './tab'

export default function Client() {
  return <Tab />
}
