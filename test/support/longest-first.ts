import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The tests that build or install whole apps. If one began last, it would run on alone. */
const long =
  /end-to-end\/(sveltekit-(cloudflare|package|node|hostile)|next(-kinds|-deployed)?|moving-in-next)\.test\.ts$/

/** Vitest's own order, in which a small file comes late, but for the longest. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
