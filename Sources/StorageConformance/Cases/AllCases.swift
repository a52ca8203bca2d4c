extension Conformance {
    /// The cases of all clauses. Each chapter of `Documentation/Contract.md` has a folder, in which a file names its clauses.
    /// `MutantCases.swift` beside the folders is about several chapters.
    static let allCases: [ConformanceCase] = [
        corpusCases, valueCases, keyCases, keyBoundCases, keyListCases, writingCases, checkedValueCases, changingCases,
        computedUpdateCases, childCases,
        graphCases, keylessCases,
        filterCases,
        indexCases, indexedTypeCases, arithmeticCases, plainNumberCases, textCases, patternCases, throughCases,
        orderCases, pageByKeyCases, aggregateCases, distanceCases, datePartCases, groupCases, elementGroupCases,
        resultCases, loopCases,
        formCases,
        limitCases,
        transactionCases, savepointCases, setCases, groupedCases, annexCases, concurrencyCases, actorCases, misuseCases,
        closingCases, repeatingCases, matchingCases,
        schemaCases, evolutionCases, formerNameCases,
        engineCases, sharedSchemaCases, movingCases, backfillCases, recordedRuleCases,
        referenceCases, referenceRuleCases, relatedCases, listCases, nameCases, errorCases,
        durabilityCases, faultCases, costCases, edgeCostCases,
        seamCases, observationCases, observationCostCases, equalElementCases, feedCases,
        historyCases, renamedHistoryCases, unchangedCases, changedTablesCases, signatureCases,
        undoCases, pastCases, commitNumberCases, commitCases, originCases, mutantCases, expiryCases, retentionCases,
        layerCases, layerWriteCases,
        fenceCases, exchangeCases, mergeCases, sharingCases, simulationCases,
        searchCases, searchedRelationCases, searchedChangeCases, searchExcerptCases,
    ].flatMap { $0 }
}
