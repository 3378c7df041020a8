/** A whole number in groups of three that are only drawn apart: its text is the number. */
export function Digits({ of }: { of: number }) {
  const groups = String(of).split(/(?=(?:\d{3})+$)/)
  return (
    <span class="digits">
      {groups.map((group, i) => (
        <span key={i}>{group}</span>
      ))}
    </span>
  )
}
