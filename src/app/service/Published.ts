/** The guides, and all public files, which are the same in every service of this process. */
import * as Guides from "../../docs/Guides.ts"
import * as Public from "../../edge/http/Public.ts"

export const published = Public.publish({ links: Guides.links, all: Guides.all() })
