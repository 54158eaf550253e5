export default function GuardedStatic() {
  return <p>A static swordfish.</p>
}
